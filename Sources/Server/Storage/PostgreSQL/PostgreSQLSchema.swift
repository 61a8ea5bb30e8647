import Core
import Crypto
import Foundation

/// PostgreSQL schema that contains a store's tables. Two stores may share a database, also with tables of a hospital.
public struct PostgreSQLSchema: Sendable, Hashable {
    public let name: String
    /// Schemas that are searched, in order, for tables that this schema does not contain.
    let alsoSearched: [String]

    /// Schema of the queue.
    public static let queue = PostgreSQLSchema(known: "tributary_queue")
    /// Schema of the records.
    public static let records = PostgreSQLSchema(known: "tributary_records")

    /// Schema of the links.
    public static let links = PostgreSQLSchema(known: "tributary_links")

    /// Schema of the account holders.
    public static let people = PostgreSQLSchema(known: "tributary_people")

    /// Schema of the replica's state, in the database of an i2b2 that is not in the records' database.
    public static let replica = PostgreSQLSchema(known: "tributary_warehouse")

    private init(known name: String, alsoSearched: [String] = []) {
        self.name = name
        self.alsoSearched = alsoSearched
    }

    /// Returns the same schema with further schemas to search for tables that it does not contain.
    public func searching(_ others: [PostgreSQLSchema]) -> PostgreSQLSchema {
        PostgreSQLSchema(known: name, alsoSearched: others.map(\.name))
    }

    /// - Throws: ``StorageError`` `storage-address` if the name does not consist of 1 to 63 lowercase letters, digits
    ///   and underscores, or begins with a digit.
    public init(_ name: String) throws(StorageError) {
        let isName = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "_")
        }
        guard isName, (1...63).contains(name.utf8.count), name.first?.isNumber == false else {
            throw StorageError(
                code: "storage-address",
                message:
                    "A schema name has up to 63 lowercase letters, digits and underscores, and no digit at its start.")
        }
        self.init(known: name)
    }

    /// Key of the lock that a writer holds: 64 bits, the same on every machine.
    var lockKey: Int64 { key(of: "write") }

    /// Key of the lock that connected processes share, and that a change of the schema holds exclusively.
    var useKey: Int64 { key(of: "use") }

    private func key(of purpose: String) -> Int64 {
        let digest = SHA256.hash(data: Data("tributary \(purpose) \(name)".utf8))
        return digest.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// Returns the statements that configure each new connection. A load has longer time limits.
    func settings(for purpose: DatabasePurpose) -> [String] {
        let isLoading = purpose.isLoad
        return [
            "SET search_path TO \(([name] + alsoSearched).joined(separator: ", "))", "SET TimeZone TO 'UTC'",
            "SET DateStyle TO 'ISO, YMD'",
            "SET standard_conforming_strings TO on", "SET synchronous_commit TO on",
            "SET statement_timeout TO '\(isLoading ? "4h" : "120s")'",
            "SET lock_timeout TO '\(isLoading ? "60s" : "10s")'",
            "SET idle_in_transaction_session_timeout TO '\(isLoading ? "10min" : "120s")'",
        ]
    }
}
