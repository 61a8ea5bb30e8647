import Foundation
import Storage

extension AccessControl {
    /// The rows that say which devices and keys were a participant's, the codes by which they may move, and the name that the
    /// audit has for them.
    public struct Forgotten: Sendable, Hashable {
        public let bindings: RowsDigest
        public let moveCodes: RowsDigest
        /// The keys that were pinned to them.
        public let keys: RowsDigest
        /// Which tokens reached their records: such a token reaches the others that it names, or nobody.
        public let tokens: RowsDigest
        /// The accounts by which they signed in.
        public let accounts: RowsDigest
        /// What apps were given to reach their records, or for them.
        public let authorizations: RowsDigest
        public let pseudonym: RowsDigest
    }

    /// What devices sent while they spoke for a participant. A device that spoke for nobody else sent all of it for them.
    public func stretches(
        of participant: String, in transaction: any SQLTransaction
    ) throws -> [SubmissionStretch] {
        let devices = try transaction.query(
            "SELECT DISTINCT device FROM device_binding WHERE participant = ? ORDER BY device", [SQLValue(participant)])
        return try devices.flatMap { row -> [SubmissionStretch] in
            let device = try row.text("device")
            let bindings = try transaction.query(
                "SELECT participant, ended_at FROM device_binding WHERE device = ? ORDER BY number", [SQLValue(device)])
            let isTheirs = bindings.map { $0.textIfPresent("participant") == participant }
            if isTheirs.allSatisfy({ $0 }) { return [SubmissionStretch(lane: device, after: nil, until: nil)] }
            return bindings.indices.filter { isTheirs[$0] }.map { place in
                SubmissionStretch(
                    lane: device, after: place == 0 ? nil : bindings[place - 1].dateIfPresent("ended_at"),
                    until: place == bindings.count - 1 ? nil : bindings[place].dateIfPresent("ended_at"))
            }
        }
    }

    /// Forgets whose devices a participant's were, and who they are in the audit: its rows stay, under a name that
    /// nothing resolves any more, without the ids of their resources.
    ///
    /// - Parameter keepsAudit: whether the audit goes on naming them.
    public static func forget(
        _ participant: String, keepsAudit: Bool, in transaction: any SQLTransaction
    ) throws -> Forgotten {
        let theirs = [SQLValue(participant)]
        let bindings = try transaction.delete(
            from: "device_binding", where: "participant = ?", theirs, orderedBy: "number")
        let codes = try transaction.delete(
            from: "move_code", where: "participant = ?", theirs, orderedBy: "secret_digest")
        let keys = try transaction.delete(
            from: "device_key", where: "participant = ?", theirs, orderedBy: "number")
        let tokens = try transaction.delete(
            from: "token_patient", where: "participant = ?", theirs, orderedBy: "token_id")
        let (accounts, authorizations) = try forgetAccounts(of: participant, in: transaction)
        guard !keepsAudit else {
            let kept = try transaction.digest(
                of: "participant_pseudonym", where: "participant = ?", theirs, orderedBy: "participant")
            return Forgotten(
                bindings: bindings, moveCodes: codes, keys: keys, tokens: tokens, accounts: accounts,
                authorizations: authorizations, pseudonym: kept)
        }
        try transaction.execute(
            """
            UPDATE audit SET resource_id = NULL
            WHERE subject IN (SELECT pseudonym FROM participant_pseudonym WHERE participant = ?)
            """, theirs)
        let pseudonym = try transaction.delete(
            from: "participant_pseudonym", where: "participant = ?", theirs, orderedBy: "participant")
        return Forgotten(
            bindings: bindings, moveCodes: codes, keys: keys, tokens: tokens, accounts: accounts,
            authorizations: authorizations, pseudonym: pseudonym)
    }

    /// Takes away a participant's accounts, and what apps were given by them or to reach them.
    private static func forgetAccounts(
        of participant: String, in transaction: any SQLTransaction
    ) throws -> (accounts: RowsDigest, authorizations: RowsDigest) {
        let theirs = SQLValue(participant)
        let given = "participant = ? OR account_id IN (SELECT id FROM user_account WHERE participant = ?)"
        for table in ["bearer_token", "refresh_token", "authorization_code"] {
            try transaction.execute(
                "DELETE FROM \(table) WHERE authorization_id IN (SELECT id FROM access_authorization WHERE \(given))",
                [theirs, theirs])
        }
        let authorizations = try transaction.delete(
            from: "access_authorization", where: given, [theirs, theirs], orderedBy: "number")
        try transaction.execute(
            "DELETE FROM user_session WHERE account_id IN (SELECT id FROM user_account WHERE participant = ?)", [theirs]
        )
        let accounts = try transaction.delete(
            from: "user_account", where: "participant = ?", [theirs], orderedBy: "id")
        return (accounts, authorizations)
    }

    /// All bindings of a participant's devices, also those that ended, in the order of their making.
    public static func bindings(of participant: String, in transaction: any SQLTransaction) throws -> [DeviceBinding] {
        try transaction.query(
            """
            SELECT device, participant, bound_at, ended_at FROM device_binding WHERE participant = ? ORDER BY number
            """, [SQLValue(participant)]
        ).map { try DeviceBinding($0) }
    }

    /// Writes the audit row of an act of the study team for participants, and refuses it where the policy does.
    ///
    /// - Throws: ``TrustError`` with the policy's reason.
    public func require(
        _ actor: Actor, _ action: Action, of participant: String?, in transaction: any SQLTransaction
    ) throws {
        let target = Target(resourceType: "Patient", resourceID: participant, subject: participant)
        let decision = try decide(actor, action, target, in: transaction)
        guard decision.allowed else {
            throw TrustError(code: decision.reason, message: "This account may not do that for participants.")
        }
    }
}
