/// What a store says of itself while it is moved and after it: it stands among the steps of its schema, so that whoever opens
/// the store reads it.
struct StoreMark: Sendable, Hashable {
    /// No step has this number.
    static let number = 0

    let text: String

    init(_ text: String) { self.text = text }

    /// It is not yet whole.
    static let isBeingFilled = StoreMark("being filled")

    /// It was moved.
    static func isMoved(to place: StoreLocation) -> StoreMark { StoreMark("moved to \(place)") }

    /// The mark that a store has.
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

    /// Why the store cannot be used.
    var error: StorageError {
        self == .isBeingFilled
            ? StorageError(
                code: "storage-being-moved",
                message: "The store is not whole: `tributary study move` was stopped in the middle; run it again.")
            : StorageError(
                code: "storage-moved", message: "The store was \(text); say so in study.json, or by the option.")
    }
}
