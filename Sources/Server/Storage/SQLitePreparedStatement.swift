import Foundation
import GRDB
import GRDBSQLite

/// A statement on GRDB's connection, bound and stepped through SQLite's own functions: GRDB's arguments and rows are made
/// anew for each run, which costs as much as a row's insertion.
final class SQLitePreparedStatement: SQLStatement {
    /// Keeps the prepared statement alive.
    private let statement: Statement
    private let pointer: OpaquePointer
    private let connection: OpaquePointer?
    private let placeCount: Int
    /// Texts and bytes as they are bound, by their places: SQLite would take memory for each, and give it back with the next.
    private var bound: [UnsafeMutableRawBufferPointer]
    /// Of columns with one name the first counts.
    private lazy var columnPositions: [String: Int] = {
        let names = statement.columnNames.enumerated().map { ($0.element, $0.offset) }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }()

    init(_ statement: Statement, in database: Database) {
        self.statement = statement
        pointer = statement.sqliteStatement
        connection = database.sqliteConnection
        placeCount = Int(sqlite3_bind_parameter_count(pointer))
        bound = Array(repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0), count: placeCount)
    }

    /// What is bound was let go of before (``unbind()``), or the statement ends with this.
    deinit { for buffer in bound { buffer.deallocate() } }

    func bind(_ value: SQLValue, at position: Int) throws {
        let place = CInt(position)
        let result =
            switch value {
            case .null: sqlite3_bind_null(pointer, place)
            case .integer(let value): sqlite3_bind_int64(pointer, place, value)
            case .real(let value): sqlite3_bind_double(pointer, place, value)
            case .text(let text): try bind(text, at: place)
            case .blob(let bytes):
                bytes.withUnsafeBytes { buffer in
                    // SQLite takes a missing address for NULL.
                    guard let start = buffer.baseAddress else { return sqlite3_bind_zeroblob(pointer, place, 0) }
                    if let kept = keep(buffer, at: position) {
                        return sqlite3_bind_blob64(pointer, place, kept, UInt64(buffer.count), nil)
                    }
                    return sqlite3_bind_blob64(pointer, place, start, UInt64(buffer.count), Self.copied)
                }
            }
        try check(result)
    }

    /// Binds all placeholders.
    func bindAll(_ values: [SQLValue]) throws {
        guard values.count == placeCount else {
            throw StorageError(
                code: "storage-failed", message: "A statement was given another number of values than it has places.")
        }
        try bind(values, from: 1)
    }

    /// Lets go of what is bound: a cached statement, which outlives this, would keep the last large body in memory.
    func unbind() { sqlite3_clear_bindings(pointer) }

    func run() throws -> Int {
        let result = sqlite3_step(pointer)
        let changed = Int(sqlite3_changes(connection))
        // Resetting repeats the step's error.
        let reset = sqlite3_reset(pointer)
        try check(result == SQLITE_DONE || result == SQLITE_ROW ? reset : result)
        return changed
    }

    /// Runs the statement and shows each row that it gives.
    func each(_ body: (SQLRow) throws -> Void) throws {
        // Whatever happens, the statement is free for its next run, and the transaction to end.
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

    private func bind(_ text: String, at place: CInt) throws -> CInt {
        var text = text
        return try text.withUTF8 { buffer in
            // SQLite would end the text there without a word; PostgreSQL knows no such text at all.
            guard !buffer.contains(0) else { throw StorageError.zeroByte }
            guard let start = buffer.baseAddress else { return sqlite3_bind_text(pointer, place, "", 0, Self.copied) }
            if let kept = keep(UnsafeRawBufferPointer(buffer), at: Int(place)) {
                return sqlite3_bind_text(
                    pointer, place, kept.assumingMemoryBound(to: CChar.self), CInt(buffer.count), nil)
            }
            return start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                sqlite3_bind_text(pointer, place, $0, CInt(buffer.count), Self.copied)
            }
        }
    }

    /// Copies bytes to where they stay until the place is bound anew.
    ///
    /// - Returns: nil where they are too many to be kept for long, or there is no such place.
    private func keep(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeMutableRawPointer? {
        guard bytes.count <= Self.longestKept, bound.indices.contains(position - 1) else { return nil }
        if bound[position - 1].count < bytes.count {
            // Nothing reads what was bound there: it is bound anew at once.
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

    /// Tells SQLite to copy what is bound before the call returns.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
