import Foundation
import GRDB

/// A transaction on GRDB's connection.
struct SQLiteTransaction: SQLTransaction {
    let database: Database

    var dialect: SQLDialect { .sqlite }

    @discardableResult
    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
        try StorageError.mapping {
            let before = database.totalChangesCount
            let statement = try database.cachedStatement(sql: sql)
            try statement.execute(arguments: Self.arguments(parameters))
            return database.totalChangesCount == before ? 0 : database.changesCount
        }
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try StorageError.mapping {
            let statement = try database.cachedStatement(sql: sql)
            var rows: [SQLRow] = []
            try Self.walk(statement, parameters) { rows.append($0) }
            return rows
        }
    }

    func each(_ sql: String, _ parameters: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
        try StorageError.mapping {
            // Not a cached statement: `body` may run the same SQL and would reset it under our feet.
            try Self.walk(try database.makeStatement(sql: sql), parameters, body)
        }
    }

    func prepare(_ sql: String) throws -> any SQLStatement {
        try StorageError.mapping { try SQLitePreparedStatement(sql, in: database) }
    }

    /// A zero byte would end the text without a word; PostgreSQL knows no such text at all.
    private static func arguments(_ parameters: [SQLValue]) throws -> StatementArguments {
        for case .text(let text) in parameters where text.utf8.contains(0) {
            throw StorageError.zeroByte
        }
        return StatementArguments(parameters)
    }

    private static func walk(
        _ statement: Statement, _ parameters: [SQLValue], _ body: (SQLRow) throws -> Void
    ) throws {
        var positions: [String: Int] = [:]
        for (position, name) in statement.columnNames.enumerated() where positions[name] == nil {
            positions[name] = position
        }
        let cursor = try Row.fetchCursor(statement, arguments: Self.arguments(parameters))
        while let row = try cursor.next() {
            try body(SQLRow(positions: positions, values: row.databaseValues.map(SQLValue.init)))
        }
    }
}

extension SQLValue: DatabaseValueConvertible {
    /// For GRDB.
    public var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): value.databaseValue
        }
    }

    /// For GRDB.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> SQLValue? {
        SQLValue(value)
    }

    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .string(let value): self = .text(value)
        case .blob(let value): self = .blob(value)
        }
    }
}
