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
            if parameters.isEmpty {
                // What changes the schema has no parameters; GRDB forgets then what it knows of it.
                try statement.execute()
            } else {
                let prepared = SQLitePreparedStatement(statement, in: database)
                defer { prepared.unbind() }
                try prepared.bindAll(parameters)
                _ = try prepared.run()
            }
            return database.totalChangesCount == before ? 0 : database.changesCount
        }
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try StorageError.mapping {
            let statement = SQLitePreparedStatement(try database.cachedStatement(sql: sql), in: database)
            defer { statement.unbind() }
            try statement.bindAll(parameters)
            var rows: [SQLRow] = []
            try statement.each { rows.append($0) }
            return rows
        }
    }

    func each(_ sql: String, _ parameters: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
        try StorageError.mapping {
            // Not a cached statement: `body` may run the same SQL and would reset it under our feet.
            let statement = SQLitePreparedStatement(try database.makeStatement(sql: sql), in: database)
            try statement.bindAll(parameters)
            try statement.each(body)
        }
    }

    func prepare(_ sql: String) throws -> any SQLStatement {
        try StorageError.mapping { SQLitePreparedStatement(try database.makeStatement(sql: sql), in: database) }
    }
}
