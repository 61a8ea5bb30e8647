import Foundation
import GRDB
import GRDBSQLite

/// A statement on GRDB's connection, bound and stepped through SQLite's own functions: GRDB's arguments are made anew
/// for each row, which costs as much as a row's insertion.
struct SQLitePreparedStatement: SQLStatement {
    /// Keeps the prepared statement alive.
    private let statement: Statement
    private let connection: OpaquePointer?

    init(_ sql: String, in database: Database) throws {
        statement = try database.makeStatement(sql: sql)
        connection = database.sqliteConnection
    }

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
                    buffer.baseAddress.map {
                        sqlite3_bind_blob64(pointer, place, $0, UInt64(buffer.count), Self.copied)
                    } ?? sqlite3_bind_zeroblob(pointer, place, 0)
                }
            }
        try check(result)
    }

    func run() throws -> Int {
        let result = sqlite3_step(pointer)
        let changed = Int(sqlite3_changes(connection))
        // Resetting repeats the step's error.
        let reset = sqlite3_reset(pointer)
        try check(result == SQLITE_DONE || result == SQLITE_ROW ? reset : result)
        return changed
    }

    private var pointer: OpaquePointer { statement.sqliteStatement }

    private func bind(_ text: String, at place: CInt) throws -> CInt {
        var text = text
        return try text.withUTF8 { buffer in
            guard !buffer.contains(0) else { throw StorageError.zeroByte }
            guard let start = buffer.baseAddress else { return sqlite3_bind_text(pointer, place, "", 0, Self.copied) }
            return start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                sqlite3_bind_text(pointer, place, $0, CInt(buffer.count), Self.copied)
            }
        }
    }

    private func check(_ result: CInt) throws {
        guard result != SQLITE_OK else { return }
        let message = connection.map { String(cString: sqlite3_errmsg($0)) }
        throw StorageError(DatabaseError(resultCode: ResultCode(rawValue: result), message: message))
    }

    /// Tells SQLite to copy what is bound before the call returns.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
