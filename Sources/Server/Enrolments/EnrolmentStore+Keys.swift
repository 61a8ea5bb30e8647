import AccessPolicy
import Foundation
import Storage

/// A device's signing key, pinned to its participant by their Contract.
package struct DeviceKey: Sendable, Hashable {
    /// Thumbprint of the key (RFC 7638).
    package let keyID: String
    /// Enrolment of the device.
    package let device: String
    package let participant: String
    /// Public key as a JWK.
    package let jwk: Data

    init(_ row: SQLRow) throws {
        keyID = try row.text("key_id")
        device = try row.text("device")
        participant = try row.text("participant")
        jwk = Data(try row.text("jwk").utf8)
    }
}

extension EnrolmentStore {
    /// Returns the active key with this thumbprint.
    package func key(_ keyID: String, in transaction: any SQLTransaction) throws -> DeviceKey? {
        try transaction.first(
            "SELECT * FROM device_key WHERE key_id = ? AND ended_at IS NULL", [SQLValue(keyID)]
        ).map { try DeviceKey($0) }
    }

    /// Returns the active key of a participant; nil if none is pinned.
    package func key(ofParticipant participant: String, in transaction: any SQLTransaction) throws -> DeviceKey? {
        try transaction.first(
            "SELECT * FROM device_key WHERE participant = ? AND ended_at IS NULL", [SQLValue(participant)]
        ).map { try DeviceKey($0) }
    }

    /// Whether a device was bound before devices signed, and has not signed anything yet.
    package func acceptsUnsigned(device: String, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            "SELECT takes_unsigned FROM device_binding WHERE device = ? AND ended_at IS NULL", [SQLValue(device)]
        )?.integer("takes_unsigned") ?? 0 != 0
    }

    /// Pins a key to a participant and the device that is bound to them, in the transaction that admits the Contract;
    /// decides, and writes the audit row. An earlier key of the participant ends.
    ///
    /// Denied with `other-key` if another key is active and nothing permits replacing it.
    /// - Parameters:
    ///   - isEntitled: whether the active key signed the Contract, or a code of the study team moved the participant.
    ///   - moveCode: secret of a code in the Contract that was not spent on the binding.
    package func pin(
        _ keyID: String, jwk: Data, device: String, clientID: String, participant: String, isEntitled: Bool,
        moveCode: String?, in transaction: any SQLTransaction
    ) throws -> Decision {
        let target = Target(resourceType: "Contract", subject: participant)
        let actor = Actor(id: clientID, role: .device, participant: participant, enrolmentID: device)
        let present = try key(ofParticipant: participant, in: transaction)
        if let present, present.keyID == keyID, present.device == device { return .permitted }
        var decision = Decision(allowed: true, reason: "pinned")
        if present != nil, !isEntitled {
            let mayMove = try moveCode.map {
                try useMoveCode($0, participant: participant, device: device, in: transaction)
            }
            if mayMove != true { decision = .denied("other-key") }
        }
        if decision.allowed {
            let now = SQLValue(clock())
            try transaction.execute(
                "UPDATE device_key SET ended_at = ? WHERE (participant = ? OR key_id = ?) AND ended_at IS NULL",
                [now, SQLValue(participant), SQLValue(keyID)])
            try transaction.execute(
                "INSERT INTO device_key (key_id, device, participant, jwk, pinned_at) VALUES (?, ?, ?, ?, ?)",
                [
                    SQLValue(keyID), SQLValue(device), SQLValue(participant),
                    SQLValue(String(decoding: jwk, as: UTF8.self)), now,
                ])
            try transaction.execute(
                "UPDATE device_binding SET takes_unsigned = 0 WHERE device = ? AND ended_at IS NULL", [SQLValue(device)]
            )
        }
        try audit.record(decision, by: actor, action: .bindParticipant, target: target, in: transaction)
        return decision
    }
}
