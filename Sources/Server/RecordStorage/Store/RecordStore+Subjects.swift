import Storage

extension RecordStore {
    /// Whether any resource of these types is about a participant.
    package func hasRecords(
        about participant: String, ofTypes types: [String], in transaction: any SQLTransaction
    ) throws -> Bool {
        // One index lookup by type and subject for each type.
        for type in types {
            let row = try transaction.first(
                "SELECT 1 AS one FROM record WHERE type = ? AND subject = ? LIMIT 1",
                [SQLValue(type), SQLValue(participant)])
            if row != nil { return true }
        }
        return false
    }

    /// Returns the query of the numbers of a type's records that are deleted with a participant
    /// (``delete(about:keeping:in:)``). It includes resources that also belong to others.
    package static func numbers(of participant: String, _ type: String) -> SQLQuery {
        SQLQuery(
            """
            SELECT number FROM record WHERE type = ? AND subject = ?
            UNION ALL
            SELECT p.number FROM record_protection p JOIN record r ON r.number = p.number
            WHERE p.kind = 'owner' AND p.value = ? AND r.type = ? AND r.subject IS NULL
            """, [SQLValue(type), SQLValue(participant), SQLValue(participant), SQLValue(type)])
    }
}
