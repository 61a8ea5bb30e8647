import Foundation
import Testing

@testable import Storage

/// A folder that is gone when the test is.
func withTemporaryFolder<T>(_ body: (String) async throws -> T) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "storage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.path)
}

/// The engines that every contract of this module is tested on.
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite

    var testDescription: String { rawValue }

    func withDatabase(
        _ migrations: [Migration] = StorageSchema.migrations,
        _ body: (any SQLDatabase) async throws -> Void
    ) async throws {
        switch self {
        case .sqlite:
            try await withTemporaryFolder { folder in
                let database = try await openDatabase(
                    url: "sqlite:\(folder)/test.db", migrations: migrations)
                try await body(database)
                try await database.close()
            }
        }
    }

    func withQueue(_ body: (SQLSubmissionQueue, any SQLDatabase) async throws -> Void) async throws {
        try await withDatabase { try await body(SQLSubmissionQueue(database: $0), $0) }
    }
}

/// 2026-01-01T00:00:00Z and so many seconds.
func time(_ seconds: Double = 0) -> Date {
    Date(timeIntervalSince1970: 1_767_225_600 + seconds)
}

func submission(
    _ id: String, client: String = "client-1", lane: String? = nil, digest: String = "d1",
    body: String = "sealed",
    at: Date = time()
) -> NewSubmission {
    NewSubmission(
        clientID: client, lane: lane, submissionID: id, digest: digest, format: .jwe, sequence: 1,
        resourceTypeHint: "Observation", body: Data(body.utf8), receivedAt: at)
}

extension SQLSubmissionQueue {
    func settle(_ number: Int64, as outcome: SubmissionOutcome, at: Date = time(60)) async throws {
        try await database.write { try self.settle(number, as: outcome, at: at, in: $0) }
    }

    func leaseNumbers(_ owner: String, limit: Int = 100, at: Date = time()) async throws -> [String] {
        try await lease(owner: owner, limit: limit, duration: 30, now: at).map(\.submissionID)
    }
}

/// A small generator with a seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
