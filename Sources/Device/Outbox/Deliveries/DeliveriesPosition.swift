/// The position up to which a device has read its deliveries; stored in `deliveries.json`.
struct DeliveriesPosition: Codable, Sendable, Hashable {
    /// The client of the position: the cursor and the submissions of another client are not valid.
    let client: String
    /// The ids of the study's keys at that time; nil if an earlier version wrote the file.
    let keys: [String]?
    /// The cursor of the next page.
    let cursor: String
    /// The server's epoch at that time.
    let epoch: Int64?
    /// The number of this client's first submission. Older ones were sent under an earlier enrolment and are not in its
    /// list.
    let first: Int64

    static let fileName = "deliveries.json"

    /// Returns whether the position belongs to the study of this enrolment: one with a common key opens what was sealed
    /// to it.
    func isOfStudy(of enrolment: Enrolment) -> Bool { !Set(keys ?? []).isDisjoint(with: enrolment.keyIDs) }

    /// Returns the epoch, unless it is that of another study.
    func epoch(for enrolment: Enrolment) -> Int64? {
        client == enrolment.clientID || isOfStudy(of: enrolment) ? epoch : nil
    }
}

extension DeviceStore {
    /// Returns the position; nil if it is damaged, because reading from the beginning does no harm.
    func deliveriesPosition() -> DeliveriesPosition? {
        (try? value(DeliveriesPosition.self, named: DeliveriesPosition.fileName)) ?? nil
    }
}

extension Enrolment {
    /// The ids of the study's keys.
    var keyIDs: [String] { ((try? publicKeys()) ?? []).map(\.keyID) }
}
