import Foundation
import GRDB
import GRDBSQLite

/// Statement on GRDB's connection that is bound and stepped with SQLite's own functions. GRDB creates arguments and
/// rows for each run, which costs as much as the insertion of a row.
final class SQLitePreparedStatement: SQLStatement {
    /// Keeps the prepared statement alive.
    private let statement: Statement
    private let pointer: OpaquePointer
    private let connection: OpaquePointer?
    private let placeholderCount: Int
    /// Buffers of the bound texts and blobs, by placeholder. Without them, SQLite would allocate and free memory for
    /// each value.
    private var bound: [UnsafeMutableRawBufferPointer]
    /// Of two columns with the same name, the first one counts.
    private lazy var columnPositions: [String: Int] = {
        let names = statement.columnNames.enumerated().map { ($0.element, $0.offset) }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }()

    init(_ statement: Statement, in database: Database) {
        self.statement = statement
        pointer = statement.sqliteStatement
        connection = database.sqliteConnection
        placeholderCount = Int(sqlite3_bind_parameter_count(pointer))
        bound = Array(repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0), count: placeholderCount)
    }

    /// The bindings were cleared (``unbind()``), or the statement is freed together with this object.
    deinit { for buffer in bound { buffer.deallocate() } }

    func bind(_ value: SQLValue, at position: Int) throws {
        let index = CInt(position)
        let result =
            switch value {
            case .null: sqlite3_bind_null(pointer, index)
            case .integer(let value): sqlite3_bind_int64(pointer, index, value)
            case .real(let value): sqlite3_bind_double(pointer, index, value)
            case .text(let text): try bind(text, at: index)
            case .blob(let bytes):
                bytes.withUnsafeBytes { buffer in
                    // SQLite treats a null address as NULL.
                    guard let start = buffer.baseAddress else { return sqlite3_bind_zeroblob(pointer, index, 0) }
                    if let kept = keep(buffer, at: position) {
                        return sqlite3_bind_blob64(pointer, index, kept, UInt64(buffer.count), nil)
                    }
                    return sqlite3_bind_blob64(pointer, index, start, UInt64(buffer.count), Self.copied)
                }
            }
        try check(result)
    }

    /// Binds all placeholders.
    func bindAll(_ values: [SQLValue]) throws {
        guard values.count == placeholderCount else {
            throw StorageError(
                code: "storage-failed", message: "The number of values does not match the placeholders.")
        }
        try bind(values, from: 1)
    }

    /// Clears the bindings: a cached statement, which outlives this object, would keep the last large body in memory.
    func unbind() { sqlite3_clear_bindings(pointer) }

    func run() throws -> Int {
        let result = sqlite3_step(pointer)
        let changed = Int(sqlite3_changes(connection))
        // Resetting returns the step's error again.
        let reset = sqlite3_reset(pointer)
        try check(result == SQLITE_DONE || result == SQLITE_ROW ? reset : result)
        return changed
    }

    /// Runs the statement and passes each row.
    func each(_ body: (SQLRow) throws -> Void) throws {
        // Reset in any case, so that the statement can run again and the transaction can end.
        defer { sqlite3_reset(pointer) }
        let positions = columnPositions
        let columns = sqlite3_column_count(pointer)
        while true {
            let result = sqlite3_step(pointer)
            guard result == SQLITE_ROW else { return try check(result == SQLITE_DONE ? SQLITE_OK : result) }
            let values = (0..<columns).map(value)
            try body(SQLRow(positions: positions, values: values))
        }
    }

    private func value(at column: CInt) -> SQLValue {
        switch sqlite3_column_type(pointer, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(pointer, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(pointer, column) else { return .null }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(pointer, column) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: Int(sqlite3_column_bytes(pointer, column))))
        default: return .null
        }
    }

    private func bind(_ text: String, at index: CInt) throws -> CInt {
        var text = text
        return try text.withUTF8 { buffer in
            // SQLite would truncate the text at a zero byte without an error; PostgreSQL rejects such a text.
            guard !buffer.contains(0) else { throw StorageError.zeroByte }
            guard let start = buffer.baseAddress else { return sqlite3_bind_text(pointer, index, "", 0, Self.copied) }
            if let kept = keep(UnsafeRawBufferPointer(buffer), at: Int(index)) {
                return sqlite3_bind_text(
                    pointer, index, kept.assumingMemoryBound(to: CChar.self), CInt(buffer.count), nil)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                sqlite3_bind_text(pointer, index, $0, CInt(buffer.count), Self.copied)
            }
        }
    }

    /// Copies bytes into a buffer that stays valid until the placeholder is bound again.
    ///
    /// - Returns: nil if there are too many bytes to keep, or no such placeholder.
    private func keep(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeMutableRawPointer? {
        guard bytes.count <= Self.longestKept, bound.indices.contains(position - 1) else { return nil }
        if bound[position - 1].count < bytes.count {
            // SQLite does not read the old buffer any more, because the placeholder is bound again immediately.
            bound[position - 1].deallocate()
            bound[position - 1] = .allocate(byteCount: max(64, 2 * bytes.count), alignment: 1)
        }
        bound[position - 1].copyMemory(from: bytes)
        return bound[position - 1].baseAddress
    }

    private static let longestKept = 4_096

    private func check(_ result: CInt) throws {
        guard result != SQLITE_OK else { return }
        let message = connection.map { String(cString: sqlite3_errmsg($0)) }
        throw StorageError(DatabaseError(resultCode: ResultCode(rawValue: result), message: message))
    }

    /// Makes SQLite copy the value before the call returns (`SQLITE_TRANSIENT`).
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
