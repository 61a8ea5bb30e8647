import Core
import Crypto
import FHIR
import Foundation
import Records
import Storage
import Trust

/// Which participant a device of others is of: what the Device says that was made when it was registered (`Device.patient`).
///
/// A Device that a phone writes decides nothing: it may say what it likes.
public struct DeviceRegistration: Sendable, Hashable {
    /// The device's id, as its events have it.
    public let device: String
    /// The participant's Patient id.
    public let participant: String

    /// The system of the identifier that the Device has.
    public static let identifierSystem = CodeSystemURL.deviceConnector

    /// Bytes of a device's id beyond which none is taken.
    public static let longestID = 200

    /// - Throws: ``GatewayError`` `device-id-invalid`, `participant-unknown`.
    public init(device: String, participant: String) throws(GatewayError) {
        guard !device.isEmpty, device.utf8.count <= Self.longestID, !device.utf8.contains(where: { $0 < 0x20 }) else {
            throw GatewayError(
                "device-id-invalid", "A device's id has 1 to \(Self.longestID) bytes and no control characters.")
        }
        guard ResourceName.isID(participant) else {
            throw GatewayError("participant-unknown", "The participant is named by the id of their Patient.")
        }
        self.device = device
        self.participant = participant
    }

    /// The id of the Device.
    ///
    /// - Parameter transaction: one that may write.
    func recordID(in transaction: any SQLTransaction) throws -> String {
        try GatewayIdentity(makingIn: transaction).id(of: Device.resourceType, "\(Self.identifierSystem)_\(device)")
    }

    /// The Device.
    func resource(id: String) -> Resource {
        Resource(
            JSONObject(keepingFirst: [
                .init(key: "resourceType", value: "Device"), .init(key: "id", value: .string(id)),
                .init(
                    key: "identifier",
                    value: [["system": .string(Self.identifierSystem), "value": .string(device)]]),
                .init(key: "patient", value: ["reference": .string("Patient/\(participant)")]),
            ]))
    }

    /// Registers the device, and has what it sent worked on. A device that is another participant's has to be taken from them
    /// first; one that is registered already stays as it is.
    ///
    /// - Throws: ``GatewayError`` `device-taken`, `participant-unknown`, ``Storage/StorageError``.
    public func register(
        by actor: Actor, access: AccessControl, submissionID: String, at: Date, in transaction: any SQLTransaction
    ) throws {
        guard try !DeletionRegister().isDeleted(participant, in: transaction) else {
            throw GatewayError("participant-deleted", "The participant was deleted.")
        }
        let store = RecordStore()
        guard try store.hasRecords(about: participant, ofTypes: store.types(in: transaction), in: transaction) else {
            throw GatewayError("participant-unknown", "Nothing is on file of the participant \(participant).")
        }
        switch try Self.owner(of: device, in: transaction) {
        case .participant(let present, _) where present == participant: break
        case .participant:
            throw GatewayError("device-taken", "The device is another participant's; delete their Device first.")
        case .unknown, .ended:
            let recordID = try recordID(in: transaction)
            guard try store.areFree([(type: "Device", id: recordID)], for: participant, in: transaction) else {
                throw GatewayError(
                    "device-taken", "The Device \(recordID) is another participant's; delete it first.")
            }
            let resource = resource(id: recordID)
            _ = try store.put(
                resource, content: resource.json.data(), original: nil, id: recordID,
                provenance: RecordProvenance(
                    submissionID: submissionID, clientID: actor.id, keyID: nil, receivedAt: at),
                at: at, in: transaction)
            try access.record(
                Decision(allowed: true, reason: "permitted"), actor, .writeRecord,
                Target(resourceType: "Device", resourceID: recordID, subject: participant), in: transaction)
            try transaction.execute(
                """
                INSERT INTO gateway_device (device, record, participant, registered_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (device) DO UPDATE SET record = excluded.record, participant = excluded.participant,
                registered_at = excluded.registered_at
                """, [SQLValue(device), SQLValue(recordID), SQLValue(participant), SQLValue(at)])
            try transaction.execute(
                "DELETE FROM gateway_ended_device WHERE digest = ?", [SQLValue(Self.digest(device))])
        }
        try GatewayEvents(transaction: transaction).release(device: device)
    }

    /// Whose a device is.
    enum Owner: Sendable, Hashable {
        /// Of a participant; with the id of its Device.
        case participant(String, record: String)
        /// Nobody said, or the Device was deleted.
        case unknown
        /// Of one who was deleted.
        case ended
    }

    private static let address = RecordAddress.sql(type: "'\(Device.resourceType)'", id: "g.record")

    /// Whose a device is now: what its Device says, which the study team may change.
    static func owner(of device: String, in transaction: any SQLTransaction) throws -> Owner {
        let row = try transaction.first(
            """
            SELECT g.record, r.subject FROM gateway_device g
            LEFT JOIN record r ON r.\(RecordAddress.column) = \(Self.address) AND r.deleted = 0 WHERE g.device = ?
            """, [SQLValue(device)])
        if let row {
            guard let participant = row.textIfPresent("subject") else { return .unknown }
            return .participant(participant, record: try row.text("record"))
        }
        let ended = try transaction.first(
            "SELECT 1 AS one FROM gateway_ended_device WHERE digest = ?", [SQLValue(digest(device))])
        return ended == nil ? .unknown : .ended
    }

    static func digest(_ device: String) -> Data { Data(SHA256.hash(data: Data(device.utf8))) }
}
