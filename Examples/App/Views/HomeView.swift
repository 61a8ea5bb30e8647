import SwiftUI

/// The forms, the health data, and the way to the status.
struct HomeView: View {
    let model: StudyModel

    var body: some View {
        List {
            Section("Forms") {
                ForEach(model.sheets) { sheet in
                    NavigationLink(sheet.title) { FormView(model: model, sheet: sheet) }
                }
            }
            Section("Health data") {
                if model.followsHealth {
                    Text("New health data go to the study.")
                } else {
                    Button("Share my health data") { Task { await model.followHealth() } }
                }
            }
            Section { NavigationLink("What I have sent") { StatusView(model: model) } }
            MessageSection(model: model)
        }
        .navigationTitle("Study")
        .task { await model.refresh() }
    }
}

/// The submissions with their states.
struct StatusView: View {
    let model: StudyModel

    var body: some View {
        List {
            ForEach(model.submissions) { submission in
                Text("\(submission.id). \(submission.kind): \(submission.state)")
            }
        }
        .navigationTitle("Status")
        .task { await model.watchSubmissions() }
    }
}
