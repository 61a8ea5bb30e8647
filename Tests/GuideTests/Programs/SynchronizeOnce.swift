import Outbox

/// Sends what is queued. Returns the code of the reason why something is still queued; nil if nothing is.
func synchronizeOnce(_ store: DeviceStore) async throws -> String? {
    let connection = StudyConnection(enrolment: try store.enrolment())
    let report = try await connection.synchronize(store)
    return report.sending.remaining == 0 ? nil : report.sending.reason ?? "queued"
}
