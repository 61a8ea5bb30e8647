import Foundation
import Storage
import StorageTestSupport
import Submissions
import Synchronization
import TestSupport
import Testing

/// The engines on which every contract of this module is tested.
public typealias Engine = TestEngine

extension TestEngine: CustomTestStringConvertible {
    public var testDescription: String { rawValue }

    public func withDatabase(
        _ migrations: [Migration] = SubmissionsSchema.migrations,
        _ body: (any SQLDatabase) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(migrations, on: self, body)
    }

    public func withQueue(_ body: (SQLSubmissionQueue, any SQLDatabase) async throws -> Void) async throws {
        try await withDatabase { try await body(SQLSubmissionQueue(database: $0), $0) }
    }
}

/// Returns 2026-01-01T00:00:00Z plus a number of seconds.
public func time(_ seconds: Double = 0) -> Date {
    Date(timeIntervalSince1970: 1_767_225_600 + seconds)
}

public func submission(
    _ id: String, client: String = "client-1", enrolmentID: String? = nil, digest: String = "d1",
    body: String = "sealed",
    at: Date = time()
) -> NewSubmission {
    NewSubmission(
        clientID: client, enrolmentID: enrolmentID, submissionID: id, digest: digest, format: .jwe, sequence: 1,
        resourceTypeHint: "Observation", body: Data(body.utf8), receivedAt: at)
}

extension SQLSubmissionQueue {
    public func enqueue(_ submission: NewSubmission) async throws -> EnqueueResult {
        try await enqueue(submission, quota: nil)
    }

    public func leaseAll(_ owner: String = "o", limit: Int = 100, at: Date = time()) async throws -> [QueuedSubmission]
    {
        try await lease(owner: owner, limit: limit, duration: 30, now: at, isIdle: true)
    }

    public func leaseNumbers(_ owner: String, limit: Int = 100, at: Date = time()) async throws -> [String] {
        try await leaseAll(owner, limit: limit, at: at).map(\.submissionID)
    }

    @discardableResult
    public func settle(
        _ submission: QueuedSubmission, status: SubmissionStatus, reason: String? = nil, at: Date = time(60)
    ) async throws -> Bool {
        try await settle(submission, as: SubmissionOutcome(status: status, reasonCode: reason), at: at)
    }
}

extension SQLDatabase {
    /// Returns all rows of the queue's tables as text, which a rolled back change must leave unchanged.
    public func queueContents() async throws -> [String] {
        try await read { transaction in
            try ["submission", "submission_body", "queue_state"].flatMap { table in
                try transaction.rowTexts(of: table)
            }
        }
    }
}

/// Counts calls of closures that other code runs.
public final class Counter: Sendable {
    private let count = Mutex(0)

    public init() {}

    public var value: Int { count.withLock { $0 } }

    /// - Returns: The number of calls so far.
    @discardableResult
    public func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
