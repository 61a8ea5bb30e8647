import Audit
import Foundation
import Identity
import Storage
import Submissions

extension EnrolmentStore {
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
            if isTheirs.allSatisfy({ $0 }) { return [SubmissionStretch(enrolmentID: device, after: nil, until: nil)] }
            return bindings.indices.filter { isTheirs[$0] }.map { index in
                SubmissionStretch(
                    enrolmentID: device, after: index == 0 ? nil : bindings[index - 1].dateIfPresent("ended_at"),
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
        let identity = try AccountStore.forget(participant, in: transaction)
        return Forgotten(
            bindings: bindings, moveCodes: codes, keys: keys, tokens: identity.tokens, accounts: identity.accounts,
            authorizations: identity.authorizations,
            pseudonym: try AuditLog.forget(participant, keepsAudit: keepsAudit, in: transaction))
    }

    /// Returns all bindings of a participant's devices, including ended ones, in the order of their creation.
    package static func bindings(of participant: String, in transaction: any SQLTransaction) throws -> [DeviceBinding] {
        try transaction.query(
            """
            SELECT device, participant, bound_at, ended_at FROM device_binding WHERE participant = ? ORDER BY number
            """, [SQLValue(participant)]
        ).map { try DeviceBinding($0) }
    }
}
