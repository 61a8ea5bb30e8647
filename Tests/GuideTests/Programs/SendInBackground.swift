import Outbox

/// Sends by uploads of the system, which continue while the app is suspended. For iOS and macOS.
func sendInBackground(store: DeviceStore) async throws {
    let uploads = BackgroundUploads(identifier: "org.example.study.uploads")
    let connection = StudyConnection(enrolment: try store.enrolment())
    let sender = BackgroundSender(store: store, connection: connection, uploads: uploads)
    try await sender.run()
}
