/// A statement that was prepared once and runs for many rows. It lives only inside the transaction that made it.
///
/// A bound value stays bound for the rows that follow until it is bound anew, so a value that all rows share is bound
/// once. The statement gives no rows back. All methods throw ``StorageError``.
public protocol SQLStatement {
    /// Binds a value to the placeholder of this number, counted from 1.
    func bind(_ value: SQLValue, at position: Int) throws

    /// Runs the statement with what is bound.
    ///
    /// - Returns: the number of rows it changed.
    @discardableResult
    func run() throws -> Int

    /// Tells which rows are to be run next, where an engine asks its server about each: it may then ask about all of them
    /// at once. What ``run()`` answers is the same. Until they were run nothing else inserts or deletes rows of the table.
    ///
    /// - Parameters:
    ///   - positions: the placeholders that differ from row to row and are part of the key.
    ///   - keys: their values for each row; not computed where nobody needs them.
    func expect(at positions: [Int], _ keys: () throws -> [[SQLValue]]) throws

    /// Sees that all rows are written that were run, where an engine lets some wait
    /// (``SQLTransaction/prepare(_:)-(SQLInsertionTarget)``).
    func finish() throws
}

extension SQLStatement {
    /// Each row is asked about by itself.
    public func expect(at positions: [Int], _ keys: () throws -> [[SQLValue]]) throws {}

    /// Nothing waits.
    public func finish() throws {}

    /// Binds values to the placeholders from this number on.
    public func bind(_ values: [SQLValue], from position: Int) throws {
        for (index, value) in values.enumerated() { try bind(value, at: position + index) }
    }
}
