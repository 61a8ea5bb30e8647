import Foundation
import Outbox
import SwiftUI

/// The study of this app. Write your study's address, antispam word and root fingerprint here.
let study = StudyAddress(url: "https://study.example.org", antispam: "blue-kettle", root: nil)

@main struct StudyApp: App {
    @State private var model = StudyApp.model()

    var body: some Scene {
        WindowGroup {
            if let model { RootView(model: model) } else { Text("The storage of this phone cannot be used.") }
        }
    }

    private static func model() -> StudyModel? {
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        guard let folder = documents?.appending(path: "study") else { return nil }
        return (try? DeviceStore.open(folder)).map { StudyModel(device: StudyDevice(store: $0)) }
    }

    /// The App Store's receipt in base64, by which the study recognises the app.
    static var receipt: String {
        Bundle.main.appStoreReceiptURL.flatMap { try? Data(contentsOf: $0) }?.base64EncodedString() ?? ""
    }
}

/// The screen of the present phase.
struct RootView: View {
    let model: StudyModel

    var body: some View {
        NavigationStack {
            switch model.phase {
            case .joining: JoinView(model: model)
            case .consenting: ConsentView(model: model)
            case .participating: HomeView(model: model)
            }
        }
    }
}

/// The sentence about the last error.
struct MessageSection: View {
    let model: StudyModel

    var body: some View {
        if let message = model.message { Section { Text(message).foregroundStyle(.red) } }
        if model.isWorking { ProgressView() }
    }
}

/// Joining the study.
struct JoinView: View {
    let model: StudyModel

    var body: some View {
        Form {
            Section { Text("This app takes part in a study. Your data go to the study, and to no one else.") }
            Button("Join the study") { Task { await model.join(study, receipt: StudyApp.receipt) } }
                .disabled(model.isWorking)
            MessageSection(model: model)
        }
        .navigationTitle("Welcome")
    }
}
