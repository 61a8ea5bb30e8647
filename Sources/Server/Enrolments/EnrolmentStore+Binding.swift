import AccessPolicy
import Foundation
import Storage

/// Binding of a device to a participant.
package struct DeviceBinding: Sendable, Hashable {
    /// Enrolment of the device.
    package let device: String
    package let participant: String
    package let since: Date
    /// Time at which it ended; nil while it is active.
    package let endedAt: Date?

    init(_ row: SQLRow) throws {
        device = try row.text("device")
        participant = try row.text("participant")
        since = try row.date("bound_at")
        endedAt = row.dateIfPresent("ended_at")
    }
}

extension EnrolmentStore {
    /// Returns the participant to which a device is bound; nil if there is none.
    package func participant(ofDevice device: String, in transaction: any SQLTransaction) throws -> String? {
        try transaction.first(Self.bindingOfDeviceSQL, [SQLValue(device)])?.text("participant")
    }

    static let bindingOfDeviceSQL = """
        SELECT device, participant, bound_at, ended_at FROM device_binding WHERE device = ? AND ended_at IS NULL
        """
    static let bindingOfParticipantSQL = """
        SELECT device, participant, bound_at, ended_at FROM device_binding WHERE participant = ? AND ended_at IS NULL
        """

    /// Binds a device to a participant for a Contract; decides, and writes the audit row.
    ///
    /// Also allowed if the device is already bound to the same participant. Denied with `other-participant` if the
    /// device is bound to another one, `already-bound` if another device is bound to the participant, `binding-ended`
    /// if the study team has ended the device's binding, `participant-taken` if the participant is known from
    /// elsewhere. A one-time code of the study team (``issueMoveCode(participant:actor:lifetime:)``) overrides the last
    /// three.
    /// - Parameters:
    ///   - isKnown: whether the participant has consent, a Patient or records that did not come from this device.
    ///   - moveCode: secret of the code in the Contract.
    ///   - isSignedByParticipant: whether the participant's active key signed the Contract, which is equivalent to a
    ///     code.
    ///   - invitation: invitation that the study requires of new participants.
    package func bind(
        device: String, clientID: String, toParticipant participant: String, isKnown: Bool, moveCode: String?,
        isSignedByParticipant: Bool = false, invitation: Invitation = .notRequired, in transaction: any SQLTransaction
    ) throws -> Decision {
        let target = Target(resourceType: "Contract", subject: participant)
        let present = try self.participant(ofDevice: device, in: transaction)
        let actor = Actor(id: clientID, role: .device, participant: present, enrolmentID: device)
        var decision = audit.policy.decide(actor, action: .bindParticipant, target: target)
        if decision.allowed, present == nil {
            let mayMove = try moveCode.map {
                try useMoveCode($0, participant: participant, device: device, in: transaction)
            }
            decision =
                switch mayMove {
                case true?: Decision(allowed: true, reason: "moved")
                case false?: .denied("move-code-refused")
                case nil where isSignedByParticipant: Decision(allowed: true, reason: "signed")
                case nil: try obstacle(device: device, participant: participant, isKnown: isKnown, in: transaction)
                }
            if decision.reason == "bound", let refusal = try refusal(of: invitation, device: device, in: transaction) {
                decision = refusal
            }
            if decision.allowed { try insertBinding(device: device, participant: participant, in: transaction) }
        }
        try audit.record(decision, by: actor, action: .bindParticipant, target: target, in: transaction)
        return decision
    }

    private func obstacle(
        device: String, participant: String, isKnown: Bool, in transaction: any SQLTransaction
    ) throws -> Decision {
        if try Self.hasHadBinding(device, in: transaction) { return .denied("binding-ended") }
        if try transaction.first(Self.bindingOfParticipantSQL, [SQLValue(participant)]) != nil {
            return .denied("already-bound")
        }
        return isKnown ? .denied("participant-taken") : Decision(allowed: true, reason: "bound")
    }

    private static func hasHadBinding(_ device: String, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM device_binding WHERE device = ?", [SQLValue(device)]) != nil
    }

    private func insertBinding(device: String, participant: String, in transaction: any SQLTransaction) throws {
        let now = SQLValue(clock())
        try transaction.execute(
            "UPDATE device_binding SET ended_at = ? WHERE participant = ? AND ended_at IS NULL",
            [now, SQLValue(participant)])
        try transaction.execute(
            "INSERT INTO device_binding (device, participant, bound_at) VALUES (?, ?, ?)",
            [SQLValue(device), SQLValue(participant), now])
    }

    /// Returns all active bindings.
    package func bindings() async throws -> [DeviceBinding] {
        try await database.read { transaction in
            try transaction.query(
                """
                SELECT device, participant, bound_at, ended_at FROM device_binding WHERE ended_at IS NULL ORDER BY number
                """
            ).map { try DeviceBinding($0) }
        }
    }

    /// Returns the devices that are bound to a participant.
    package func devices(of participant: String) async throws -> [String] {
        try await database.read { transaction in
            try transaction.query(Self.bindingOfParticipantSQL, [SQLValue(participant)]).map { try $0.text("device") }
        }
    }

    /// Ends a device's binding on behalf of the study team: the device may not bind again without a code.
    ///
    /// - Returns: the participant to which it was bound; nil if there was none, and then the device cannot bind either.
    package func endBinding(device: String, by actor: Actor) async throws -> String? {
        let now = SQLValue(clock())
        return try await database.write { transaction in
            let participant = try self.participant(ofDevice: device, in: transaction)
            let target = Target(resourceType: "Client", resourceID: device, subject: participant)
            try requireEnrolments(actor, target, in: transaction)
            if participant != nil {
                try transaction.execute(
                    "UPDATE device_binding SET ended_at = ? WHERE device = ? AND ended_at IS NULL",
                    [now, SQLValue(device)])
            } else if try !Self.hasHadBinding(device, in: transaction) {
                try transaction.execute(
                    "INSERT INTO device_binding (device, bound_at, ended_at) VALUES (?, ?, ?)",
                    [SQLValue(device), now, now])
            }
            return participant
        }
    }
}
