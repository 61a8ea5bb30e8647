import AccessPolicy
import Audit
import Core
import Crypto
import FHIR
import Foundation
import RecordStorage
import Storage

/// The participant to whom a third-party device belongs. The Device that was created at registration decides
/// (`Device.patient`).
///
/// A Device that a phone writes decides nothing: its content is not trusted.
package struct DeviceRegistration: Sendable, Hashable {
    /// The device's id, as in its events.
    package let device: String
    /// The participant's Patient id.
    package let participant: String

    /// The system of the Device's identifier.
    package static let identifierSystem = CodeSystemURL.deviceConnector

    /// Maximum bytes of a device's id.
    package static let longestID = 200

    /// - Throws: ``GatewayError`` `device-id-invalid`, `participant-unknown`.
    package init(device: String, participant: String) throws(GatewayError) {
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

    /// Returns the id of the Device.
    ///
    /// - Parameter transaction: a transaction that may write.
    func recordID(in transaction: any SQLTransaction) throws -> String {
        try GatewayIdentity(makingIn: transaction).id(of: Device.resourceType, "\(Self.identifierSystem)_\(device)")
    }

    /// Returns the Device.
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

    /// Registers the device, and releases the events that it has sent. A device that belongs to another participant
    /// must be taken from them first. A device that is already registered to this participant is not changed.
    ///
    /// - Throws: ``GatewayError`` `device-taken`, `participant-unknown`, ``Storage/StorageError``.
    package func register(
        by actor: Actor, audit: AuditLog, submissionID: String, at: Date, in transaction: any SQLTransaction
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
            try audit.record(
                Decision(allowed: true, reason: "permitted"), by: actor, action: .writeRecord,
                target: Target(resourceType: "Device", resourceID: recordID, subject: participant), in: transaction)
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

    /// The owner of a device.
    enum Owner: Sendable, Hashable {
        /// A participant, with the id of the Device.
        case participant(String, record: String)
        /// None: the device was never registered, or the Device was deleted.
        case unknown
        /// A participant who was deleted.
        case ended
    }

    private static let address = RecordKey.sql(type: "'\(Device.resourceType)'", id: "g.record")

    /// Returns the present owner of a device, as its Device names it. The study team may change that.
    static func owner(of device: String, in transaction: any SQLTransaction) throws -> Owner {
        let row = try transaction.first(
            """
            SELECT g.record, r.subject FROM gateway_device g
            LEFT JOIN record r ON r.\(RecordKey.column) = \(Self.address) AND r.deleted = 0 WHERE g.device = ?
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
