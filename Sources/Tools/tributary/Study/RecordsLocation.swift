import AccessPolicy
import ArgumentParser
import Foundation
import Identity
import Storage
import StudyFiles
import StudyOperations
import TributaryServer

/// The study of a command, and the location of its records.
struct RecordsLocation: ParsableArguments {
    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The records' database, if it is not the study's own.") var database: String?

    func withAccess<T>(_ body: (AccessStores) async throws -> T) async throws -> T {
        try await withRecords { try await body(AccessStores(database: $0, clock: { Date() })) }
    }

    func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await StudyStores(StudyFolder(path: dir), database: database).withRecords(body)
    }
}

/// The study of a command, and the locations of its two stores.
struct StoresLocation: ParsableArguments {
    @Argument(help: "The study's folder.") var dir: String
    @Option(help: "The queue's database, if it is not the study's own.") var queue: String?
    @Option(help: "The records' database, if it is not the study's own.") var database: String?

    func withStores<T>(
        _ body: (_ queue: any SQLDatabase, _ records: any SQLDatabase) async throws -> T
    ) async throws -> T {
        try await StudyStores(StudyFolder(path: dir), queue: queue, database: database).withBoth(body)
    }

    func withRecords<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        try await StudyStores(StudyFolder(path: dir), queue: queue, database: database).withRecords(body)
    }
}

extension Actor {
    /// The actor of the command line: the machine's account.
    static var account: Actor { Actor(id: "account:" + NSUserName(), role: .site) }
}
