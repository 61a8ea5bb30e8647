import Outbox

/// Shows the state of each submission: the outcomes that the phone knows at once, then every change.
func showOutcomes(
    _ connection: StudyConnection, store: DeviceStore, show: (_ kind: String, _ text: String) -> Void
) async throws {
    for try await delivery in connection.deliveries(of: store) {
        switch delivery.state {
        case .stored: show(delivery.entry.kind, "is with the study")
        case .waiting: show(delivery.entry.kind, "is on its way")
        case .held(let code): show(delivery.entry.kind, "waits: \(code ?? "the study decides later")")
        case .refused(let code): show(delivery.entry.kind, "was refused: \(code)")
        }
    }
}
