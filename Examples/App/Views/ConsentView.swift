import InformedConsent
import SwiftUI

/// The consent: its sections, the questions about eligibility and sharing, and the signature.
struct ConsentView: View {
    let model: StudyModel
    @State private var answers = ConsentAnswers()
    @State private var name = ""

    var body: some View {
        Form {
            if let template = model.template {
                ForEach(template.screenSections.indices, id: \.self) { index in
                    let section = template.screenSections[index]
                    Section(section.title) {
                        Text(section.summary ?? "")
                        if let html = section.htmlContent { Text(html.replacing(/<[^>]*>/, with: " ")) }
                    }
                }
                Section("Your answers") {
                    ForEach(template.eligibility.criteria) { criterion in
                        YesNo(question: criterion.text, answer: $answers.eligibility[criterion.text])
                    }
                    if template.asksForSharing {
                        YesNo(question: "May other researchers use your data too?", answer: $answers.sharing)
                    }
                }
                Section("Your signature") {
                    TextField("First and last name", text: $name)
                    Button("I agree to take part") { Task { await model.sign(answers: answers, name: name) } }
                        .disabled(name.isEmpty || model.isWorking)
                }
            }
            MessageSection(model: model)
        }
        .navigationTitle(model.template?.title ?? "Consent")
        .task { await model.loadConsent() }
    }
}

/// A question with the answers yes and no.
struct YesNo: View {
    let question: String
    @Binding var answer: Bool?

    var body: some View {
        Picker(question, selection: $answer) {
            Text("Not answered").tag(Bool?.none)
            Text("Yes").tag(Bool?.some(true))
            Text("No").tag(Bool?.some(false))
        }
    }
}
