import Core
import Crypto
import Foundation

/// The schema of PostgreSQL that a store's tables stand in: two stores may share a database, and a hospital's own tables
/// stand beside ours.
public struct PostgreSQLSchema: Sendable, Hashable {
    public let name: String
    /// The schemas of others, in their order, in which a table is looked for that does not stand in this one.
    let alsoSearched: [String]

    /// The queue's store.
    public static let queue = PostgreSQLSchema(known: "tributary_queue")
    /// The records' store.
    public static let records = PostgreSQLSchema(known: "tributary_records")

    /// The store of links.
    public static let links = PostgreSQLSchema(known: "tributary_links")

    /// What must be known beside an i2b2 of another database than the records'.
    public static let replica = PostgreSQLSchema(known: "tributary_warehouse")

    private init(known name: String, alsoSearched: [String] = []) {
        self.name = name
        self.alsoSearched = alsoSearched
    }

    /// The same schema, with others in which a table is looked for that does not stand in this one.
    public func searching(_ others: [PostgreSQLSchema]) -> PostgreSQLSchema {
        PostgreSQLSchema(known: name, alsoSearched: others.map(\.name))
    }

    /// - Throws: ``StorageError`` `storage-address` where the name is not of small letters, digits and low lines, 1 to 63.
    public init(_ name: String) throws(StorageError) {
        let isName = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "_")
        }
        guard isName, (1...63).contains(name.utf8.count), name.first?.isNumber == false else {
            throw StorageError(
                code: "storage-address",
                message:
                    "A schema's name has small letters, digits and low lines, 63 at most, and begins with no digit.")
        }
        self.init(known: name)
    }

    /// The number of the lock that whoever writes to the store holds: of 64 bits, the same on every machine.
    var lockKey: Int64 { key(of: "write") }

    /// The number of the lock that whoever is connected shares, and whoever changes the schema holds alone.
    var useKey: Int64 { key(of: "use") }

    private func key(of purpose: String) -> Int64 {
        let digest = SHA256.hash(data: Data("tributary \(purpose) \(name)".utf8))
        return digest.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// What each connection is told first. A load may take as long as it takes.
    func settings(for purpose: DatabasePurpose) -> [String] {
        let isLoading = purpose.isOfALoad
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
