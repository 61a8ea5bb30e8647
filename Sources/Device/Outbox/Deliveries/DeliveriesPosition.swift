/// The position up to which a device has read its deliveries; kept in `deliveries.json`.
struct DeliveriesPosition: Codable, Sendable, Hashable {
    /// The client that asked: another one's cursor and submissions are not ours.
    let client: String
    /// The ids of the study's keys then; nil where an earlier version wrote this.
    let keys: [String]?
    /// Where to go on.
    let cursor: String
    /// The server's epoch then.
    let epoch: Int64?
    /// The number of the first submission that is this client's; older ones were sent under an earlier enrolment, and
    /// are not in its list.
    let first: Int64

    static let fileName = "deliveries.json"

    /// Whether it was reached with the study that this enrolment is of: a study of the same keys opens what was sealed to it.
    func isOfStudy(of enrolment: Enrolment) -> Bool { !Set(keys ?? []).isDisjoint(with: enrolment.keyIDs) }

    /// The epoch, unless another study told it.
    func epoch(for enrolment: Enrolment) -> Int64? {
        client == enrolment.clientID || isOfStudy(of: enrolment) ? epoch : nil
    }
}

extension DeviceStore {
    /// The position; one that is damaged is none: reading from the beginning does no harm.
    func deliveriesPosition() -> DeliveriesPosition? {
        (try? value(DeliveriesPosition.self, named: DeliveriesPosition.fileName)) ?? nil
    }
}

extension Enrolment {
    /// The ids of the study's keys.
    var keyIDs: [String] { ((try? publicKeys()) ?? []).map(\.keyID) }
}
