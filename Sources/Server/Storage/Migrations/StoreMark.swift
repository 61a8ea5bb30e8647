/// Mark of a store that is or was moved. It is stored with the schema steps, which every opening of the store reads.
struct StoreMark: Sendable, Hashable {
    /// Number of the mark's row; no step uses it.
    static let number = 0

    let text: String

    init(_ text: String) { self.text = text }

    /// The store is not complete yet.
    static let isBeingFilled = StoreMark("being filled")

    /// The store was moved.
    static func isMoved(to location: StoreLocation) -> StoreMark { StoreMark("moved to \(location)") }

    /// Reads the mark of a store; nil if there is none.
    init?(in transaction: any SQLTransaction) throws {
        guard
            let row = try transaction.first(
                "SELECT name FROM schema_migration WHERE number = ?", [SQLValue(Self.number)])
        else { return nil }
        text = try row.text("name")
    }

    func write(at date: String, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            "INSERT INTO schema_migration (number, name, applied_at) VALUES (?, ?, ?)",
            [SQLValue(Self.number), SQLValue(text), SQLValue(date)])
    }

    static func remove(in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM schema_migration WHERE number = ?", [SQLValue(number)])
    }

    /// Reason why the store cannot be used.
    var error: StorageError {
        self == .isBeingFilled
            ? StorageError(
                code: "storage-being-moved",
                message: "The store is not complete: `tributary study move` was interrupted; run it again.")
            : StorageError(
                code: "storage-moved", message: "The store was \(text); set the location in study.json or the option.")
    }
}
