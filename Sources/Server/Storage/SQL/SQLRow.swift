import Foundation

/// One row of a result. Columns have the names that the query gives them.
public struct SQLRow: Sendable {
    private let positions: [String: Int]
    private let values: [SQLValue]

    /// Creates a row; `positions` is shared by all rows of a result.
    init(positions: [String: Int], values: [SQLValue]) {
        self.positions = positions
        self.values = values
    }

    /// Names of the columns, in no particular order.
    var columnNames: [String] { Array(positions.keys) }

    /// Value of a column; null if there is no such column.
    public subscript(column: String) -> SQLValue {
        positions[column].map { values[$0] } ?? .null
    }

    /// Value of the column at an index, from 0, in the order of the query; null after the last one. It saves the lookup
    /// of the name where many rows are read.
    public subscript(position: Int) -> SQLValue {
        values.indices.contains(position) ? values[position] : .null
    }

    /// Returns required text. Throws ``StorageError`` with code `storage-column` if it is null or of another type.
    public func text(_ column: String) throws -> String {
        guard let value = textIfPresent(column) else {
            throw StorageError.column(column, wanted: "text")
        }
        return value
    }

    /// Returns text; nil for null.
    public func textIfPresent(_ column: String) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    /// Returns a required integer. Throws ``StorageError`` with code `storage-column`.
    public func integer(_ column: String) throws -> Int64 {
        guard let value = integerIfPresent(column) else {
            throw StorageError.column(column, wanted: "an integer")
        }
        return value
    }

    /// Returns an integer; nil for null.
    public func integerIfPresent(_ column: String) -> Int64? {
        if case .integer(let value) = self[column] { value } else { nil }
    }

    /// Returns a required number. Throws ``StorageError`` with code `storage-column`.
    public func real(_ column: String) throws -> Double {
        guard let value = realIfPresent(column) else {
            throw StorageError.column(column, wanted: "a number")
        }
        return value
    }

    /// Returns a number; nil for null.
    public func realIfPresent(_ column: String) -> Double? {
        switch self[column] {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// Returns required bytes. Throws ``StorageError`` with code `storage-column`.
    public func blob(_ column: String) throws -> Data {
        guard let value = blobIfPresent(column) else {
            throw StorageError.column(column, wanted: "bytes")
        }
        return value
    }

    /// Returns bytes; nil for null.
    public func blobIfPresent(_ column: String) -> Data? {
        if case .blob(let value) = self[column] { value } else { nil }
    }

    /// Returns a required instant in the format of ``SQLTimestamp``. Throws ``StorageError`` with code
    /// `storage-column`.
    public func date(_ column: String) throws -> Date {
        guard let value = dateIfPresent(column) else {
            throw StorageError.column(column, wanted: "an instant")
        }
        return value
    }

    /// Returns an instant; nil for null.
    public func dateIfPresent(_ column: String) -> Date? {
        textIfPresent(column).flatMap(SQLTimestamp.date)
    }
}
