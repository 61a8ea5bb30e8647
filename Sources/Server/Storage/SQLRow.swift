import Foundation

/// One row of a result, by column name as the query wrote it.
public struct SQLRow: Sendable {
    private let positions: [String: Int]
    private let values: [SQLValue]

    /// A row of values; `positions` is shared by all rows of a result.
    init(positions: [String: Int], values: [SQLValue]) {
        self.positions = positions
        self.values = values
    }

    /// The names of the columns, in no order.
    var columnNames: [String] { Array(positions.keys) }

    /// The value of a column; null if there is no such column.
    public subscript(column: String) -> SQLValue {
        positions[column].map { values[$0] } ?? .null
    }

    /// The value of the column at a position, from 0, in the order in which the query names them; null behind the last. What
    /// reads very many rows is spared a look at each name.
    public subscript(position: Int) -> SQLValue {
        values.indices.contains(position) ? values[position] : .null
    }

    /// Text that must be there. Throws ``StorageError`` with code `storage-column` if it is null or of another type.
    public func text(_ column: String) throws -> String {
        guard let value = textIfPresent(column) else {
            throw StorageError.column(column, wanted: "text")
        }
        return value
    }

    /// Text; nil if null.
    public func textIfPresent(_ column: String) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    /// An integer that must be there. Throws ``StorageError`` with code `storage-column`.
    public func integer(_ column: String) throws -> Int64 {
        guard let value = integerIfPresent(column) else {
            throw StorageError.column(column, wanted: "an integer")
        }
        return value
    }

    /// An integer; nil if null.
    public func integerIfPresent(_ column: String) -> Int64? {
        if case .integer(let value) = self[column] { value } else { nil }
    }

    /// A number that must be there. Throws ``StorageError`` with code `storage-column`.
    public func real(_ column: String) throws -> Double {
        guard let value = realIfPresent(column) else {
            throw StorageError.column(column, wanted: "a number")
        }
        return value
    }

    /// A number; nil if null.
    public func realIfPresent(_ column: String) -> Double? {
        switch self[column] {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// Bytes that must be there. Throws ``StorageError`` with code `storage-column`.
    public func blob(_ column: String) throws -> Data {
        guard let value = blobIfPresent(column) else {
            throw StorageError.column(column, wanted: "bytes")
        }
        return value
    }

    /// Bytes; nil if null.
    public func blobIfPresent(_ column: String) -> Data? {
        if case .blob(let value) = self[column] { value } else { nil }
    }

    /// An instant that must be there, written as ``SQLTimestamp``. Throws ``StorageError`` with code `storage-column`.
    public func date(_ column: String) throws -> Date {
        guard let value = dateIfPresent(column) else {
            throw StorageError.column(column, wanted: "an instant")
        }
        return value
    }

    /// An instant; nil if null.
    public func dateIfPresent(_ column: String) -> Date? {
        textIfPresent(column).flatMap(SQLTimestamp.date)
    }
}
