import Foundation
import Storage

/// A transaction whose statements fail after a number of them.
final class FailingTransaction: SQLTransaction {
    struct Failure: Error {}

    private let transaction: any SQLTransaction
    private var left: Int

    init(_ transaction: any SQLTransaction, after count: Int) {
        self.transaction = transaction
        left = count
    }

    private func count() throws {
        guard left > 0 else { throw Failure() }
        left -= 1
    }

    var dialect: SQLDialect { transaction.dialect }

    func execute(_ sql: String, _ parameters: [SQLValue]) throws -> Int {
        try count()
        return try transaction.execute(sql, parameters)
    }

    func query(_ sql: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try count()
        return try transaction.query(sql, parameters)
    }

    func query(
        _ sql: String, _ parameters: [SQLValue], while isTaken: (SQLRow) throws -> Bool
    ) throws -> [SQLRow] {
        try count()
        return try transaction.query(sql, parameters, while: isTaken)
    }

    func queries(_ queries: [SQLQuery]) throws -> [[SQLRow]] {
        try count()
        return try transaction.queries(queries)
    }

    func each(_ sql: String, _ parameters: [SQLValue], body: (SQLRow) throws -> Void) throws {
        try count()
        try transaction.each(sql, parameters, body: body)
    }

    func prepare(_ sql: String) throws -> any SQLStatement {
        try count()
        return try transaction.prepare(sql)
    }

    func prepare(_ insertion: SQLInsertionTarget) throws -> any SQLStatement {
        try count()
        return try transaction.prepare(insertion)
    }

    func prepare(_ insertion: SQLInsertionTarget, rows: Int, varying: Int) throws -> (any SQLStatement)? {
        try count()
        return try transaction.prepare(insertion, rows: rows, varying: varying)
    }

    func limited<T>(until end: ContinuousClock.Instant, _ body: () throws -> T) throws -> T {
        try transaction.limited(until: end, body)
    }
}
