/// A statement that is prepared once and runs for many rows. Valid only inside the transaction that created it.
///
/// A bound value stays bound for the following rows, so a value that all rows share is bound once. The statement
/// returns no rows. All methods throw ``StorageError``.
public protocol SQLStatement {
    /// Binds a value to the placeholder with this number, counted from 1.
    func bind(_ value: SQLValue, at position: Int) throws

    /// Runs the statement with the bound values.
    ///
    /// - Returns: the number of rows it changed.
    @discardableResult
    func run() throws -> Int

    /// Announces the next rows, so that an engine may query their keys at once instead of for each row. The results of
    /// ``run()`` are the same. Until these rows are run, no other statement may insert or delete rows of the table.
    ///
    /// - Parameters:
    ///   - positions: placeholders that differ from row to row and are part of the key.
    ///   - keys: their values for each row; computed only if the engine needs them.
    func expect(at positions: [Int], _ keys: () throws -> [[SQLValue]]) throws

    /// Writes all buffered rows, for an engine that buffers
    /// (``SQLTransaction/prepare(_:)-(SQLInsertionTarget)``).
    func finish() throws
}

extension SQLStatement {
    /// Does nothing: each row is queried by itself.
    public func expect(at positions: [Int], _ keys: () throws -> [[SQLValue]]) throws {}

    /// Does nothing: no rows are buffered.
    public func finish() throws {}

    /// Binds values to the placeholders from this number on.
    public func bind(_ values: [SQLValue], from position: Int) throws {
        for (index, value) in values.enumerated() { try bind(value, at: position + index) }
    }
}
