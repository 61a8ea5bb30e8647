import SwiftUI

/// A form on one screen.
struct FormView: View {
    let model: StudyModel
    @State var sheet: AnswerSheet
    @State private var isQueued = false

    var body: some View {
        Form {
            ForEach(sheet.rows) { row in
                Section(row.text) {
                    AnswerField(row: row, answer: $sheet[answer: row.id])
                    if let problem = row.problem { Text(problem).foregroundStyle(.red) }
                }
            }
            Button(isQueued ? "Thank you" : "Send") { Task { isQueued = await model.submit(sheet) } }
                .disabled(isQueued || model.isWorking || !sheet.canBeSent)
            MessageSection(model: model)
        }
        .navigationTitle(sheet.title)
    }
}

/// The control of a question.
struct AnswerField: View {
    let row: AnswerSheet.Row
    @Binding var answer: String

    var body: some View {
        switch row.control {
        case .display: EmptyView()
        case .unsupported: Text("This app does not show this kind of question.")
        case .toggle: Picker("Answer", selection: $answer) { texts(["yes", "no"]) }
        case .choice(let labels): Picker("Answer", selection: $answer) { texts(labels) }
        case .text: TextField("Answer", text: $answer)
        }
    }

    private func texts(_ labels: [String]) -> some View {
        ForEach([""] + labels, id: \.self) { label in Text(label.isEmpty ? "Not answered" : label).tag(label) }
    }
}
