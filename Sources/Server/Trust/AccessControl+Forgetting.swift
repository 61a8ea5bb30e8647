import Foundation
import Storage
import Submissions

extension AccessControl {
    /// Digests of the rows that connect a participant with devices, keys, move codes, tokens, accounts, and the
    /// pseudonym in the audit.
    package struct Forgotten: Sendable, Hashable {
        package let bindings: RowsDigest
        package let moveCodes: RowsDigest
        /// Keys that were pinned to the participant.
        package let keys: RowsDigest
        /// Entries of tokens that gave access to the participant's records: such a token keeps the other participants,
        /// or none.
        package let tokens: RowsDigest
        /// Accounts with which the participant signed in.
        package let accounts: RowsDigest
        /// Authorizations of apps that the participant gave, or that gave access to the participant's records.
        package let authorizations: RowsDigest
        package let pseudonym: RowsDigest
    }

    /// Returns the submissions that devices sent while bound to a participant. If a device was bound to no one else,
    /// they include all its submissions.
    package func stretches(
        of participant: String, in transaction: any SQLTransaction
    ) throws -> [SubmissionStretch] {
        let devices = try transaction.query(
            "SELECT DISTINCT device FROM device_binding WHERE participant = ? ORDER BY device", [SQLValue(participant)])
        return try devices.flatMap { row -> [SubmissionStretch] in
            let device = try row.text("device")
            let bindings = try transaction.query(
                "SELECT participant, ended_at FROM device_binding WHERE device = ? ORDER BY number", [SQLValue(device)])
            let isTheirs = bindings.map { $0.textIfPresent("participant") == participant }
            if isTheirs.allSatisfy({ $0 }) { return [SubmissionStretch(deviceQueue: device, after: nil, until: nil)] }
            return bindings.indices.filter { isTheirs[$0] }.map { index in
                SubmissionStretch(
                    deviceQueue: device, after: index == 0 ? nil : bindings[index - 1].dateIfPresent("ended_at"),
                    until: index == bindings.count - 1 ? nil : bindings[index].dateIfPresent("ended_at"))
            }
        }
    }

    /// Removes the connection of a participant with devices, and with the audit: its rows remain under a pseudonym that
    /// can no longer be resolved, without the ids of the participant's resources.
    ///
    /// - Parameter keepsAudit: whether the audit continues to identify the participant.
    package static func forget(
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

    /// Deletes a participant's accounts, and the authorizations of apps that they gave or that gave access to their
    /// records.
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

    /// Returns all bindings of a participant's devices, including ended ones, in the order of their creation.
    package static func bindings(of participant: String, in transaction: any SQLTransaction) throws -> [DeviceBinding] {
        try transaction.query(
            """
            SELECT device, participant, bound_at, ended_at FROM device_binding WHERE participant = ? ORDER BY number
            """, [SQLValue(participant)]
        ).map { try DeviceBinding($0) }
    }

    /// Writes the audit row of an act of the study team for participants.
    ///
    /// - Throws: ``TrustError`` with the policy's reason if the policy denies it.
    package func require(
        _ actor: Actor, _ action: Action, of participant: String?, in transaction: any SQLTransaction
    ) throws {
        let target = Target(resourceType: "Patient", resourceID: participant, subject: participant)
        let decision = try decide(actor, action: action, target: target, in: transaction)
        guard decision.allowed else {
            throw TrustError(code: decision.reason, message: "This account may not do this for participants.")
        }
    }
}
