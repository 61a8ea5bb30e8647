import Storage

extension AuditLog {
    /// Removes the connection of a participant with the audit: its rows remain under a pseudonym that can no longer be
    /// resolved, without the ids of the participant's resources. Their digests remain, so that the seals stay valid; without
    /// the salts, no one can test whether a digest is that of an id.
    ///
    /// - Parameter keepsAudit: whether the audit continues to identify the participant.
    /// - Returns: digest of the row that connects the participant with the pseudonym.
    package static func forget(
        _ participant: String, keepsAudit: Bool, in transaction: any SQLTransaction
    ) throws -> RowsDigest {
        let theirs = [SQLValue(participant)]
        guard !keepsAudit else {
            return try transaction.digest(
                of: "participant_pseudonym", where: "participant = ?", theirs, orderedBy: "participant")
        }
        try transaction.execute(
            """
            UPDATE audit SET resource_id = NULL, id_salt = NULL
            WHERE subject IN (SELECT pseudonym FROM participant_pseudonym WHERE participant = ?)
            """, theirs)
        return try transaction.delete(
            from: "participant_pseudonym", where: "participant = ?", theirs, orderedBy: "participant")
    }
}
