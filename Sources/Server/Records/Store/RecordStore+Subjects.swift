import Storage

extension RecordStore {
    /// Whether any resource of these types is about a participant.
    public func hasRecords(
        about participant: String, ofTypes types: [String], in transaction: any SQLTransaction
    ) throws -> Bool {
        // One look-up of the index by type and subject for each type.
        for type in types {
            let row = try transaction.first(
                "SELECT 1 AS one FROM record WHERE type = ? AND subject = ? LIMIT 1",
                [SQLValue(type), SQLValue(participant)])
            if row != nil { return true }
        }
        return false
    }
}
