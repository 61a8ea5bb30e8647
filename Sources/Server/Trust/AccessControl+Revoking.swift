import Storage

extension AccessControl {
    /// Whether what somebody acts by was ended before its time: a token that was revoked, or is not there any more. One that
    /// has come to its own end was not.
    public func isRevoked(_ actor: Actor, in transaction: any SQLTransaction) throws -> Bool {
        guard let row = try transaction.first(Self.revokedSQL, [SQLValue(actor.id)]) else { return true }
        return row.dateIfPresent("revoked_at") != nil
    }

    /// Parameter: the token's id.
    static let revokedSQL = "SELECT revoked_at FROM staff_token WHERE id = ?"
}
