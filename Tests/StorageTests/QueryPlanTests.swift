import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// The cost of the queue's statements does not grow with the number of all submissions.
@Suite(.timeLimit(.minutes(10)))
struct QueryPlanTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        let parameters: Int
        let indexes: [String]

        init(_ name: String, sql: String, parameters: Int, indexes: String...) {
            self.name = name
            self.sql = sql
            self.parameters = parameters
            self.indexes = indexes
        }

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            "lease", sql: SQLSubmissionQueue.leaseSQL, parameters: 3, indexes: "submission_by_status",
            "submission_by_lease", "submission_begun"),
        Case(
            "lease beside others", sql: SQLSubmissionQueue.concurrentLeaseSQL, parameters: 3,
            indexes: "submission_by_status",
            "submission_by_lease", "submission_begun"),
        Case(
            "lease of other lanes", sql: SQLSubmissionQueue.leasePassingSQL,
            parameters: 3 + SQLSubmissionQueue.maximumPassedOver,
            indexes: "submission_by_status", "submission_by_lease", "submission_begun"),
        Case(
            "lease of what was begun", sql: SQLSubmissionQueue.leaseBegunSQL, parameters: 2,
            indexes: "submission_by_lease", "submission_begun"),
        Case("is there any", sql: SQLSubmissionQueue.anyReceivedSQL, parameters: 0, indexes: "submission_by_status"),
        Case(
            "leases of others in a lane", sql: SQLSubmissionQueue.endOthersSQL, parameters: 2,
            indexes: "submission_by_lease"),
        Case("held of a lane", sql: SQLSubmissionQueue.heldOfDeviceQueueSQL, parameters: 1, indexes: "submission_held"),
        Case(
            "held for a reason", sql: SQLSubmissionQueue.heldForReasonSQL, parameters: 1,
            indexes: "submission_by_reason"),
        Case("held and due", sql: SQLSubmissionQueue.heldDueSQL, parameters: 1, indexes: "submission_held_until"),
        Case("bytes held", sql: SQLSubmissionQueue.heldBytesSQL, parameters: 1, indexes: "submission_held"),
        Case(
            "deliveries of a lane", sql: SQLSubmissionQueue.deliveriesSQL, parameters: 3,
            indexes: "submission_by_change"),
        Case(
            "known already", sql: SQLSubmissionQueue.lookUpSQL, parameters: 2, indexes: "sqlite_autoindex_submission_1"),
    ]

    private func plan(_ sql: String, _ parameters: Int, on engine: Engine) async throws -> QueryPlan {
        try await plan(sql, Array(repeating: SQLValue(1), count: parameters), on: engine)
    }

    private func plan(_ sql: String, _ values: [SQLValue], on engine: Engine) async throws -> QueryPlan {
        var plan: QueryPlan?
        try await engine.withQueue { queue, database async throws in
            for index in 0..<200 { _ = try await queue.enqueue(submission("s\(index)", client: "c\(index % 20)")) }
            plan = try await database.read {
                try QueryPlan(sql, values, in: $0)
            }
        }
        return try #require(plan)
    }

    @Test(arguments: cases, Engine.allCases)
    func hotQueriesUseTheirIndexes(of query: Case, on engine: Engine) async throws {
        let plan = try await plan(query.sql, query.parameters, on: engine)
        // Of several suitable indexes PostgreSQL chooses one by its statistics.
        if engine == .sqlite { for index in query.indexes { #expect(plan.uses(index: index), "\(plan)") } }
        #expect(!plan.readsAll, "\(plan)")
    }

    static let listings = [
        SubmissionListing(), SubmissionListing(after: 7, limit: 10), SubmissionListing(statuses: [.quarantined]),
        SubmissionListing(reason: "answers-invalid"),
        SubmissionListing(statuses: [.held, .stored], reason: "consent-required", since: .distantPast, after: 3),
    ]

    @Test(arguments: listings, Engine.allCases)
    func listingsUseTheirIndexes(of listing: SubmissionListing, on engine: Engine) async throws {
        let (sql, values) = listing.statement()
        let plan = try await plan(sql, values, on: engine)
        if engine == .sqlite {
            #expect(
                plan.uses(index: listing.reason == nil ? "submission_by_status" : "submission_by_reason"), "\(plan)")
            // The pages of the statuses, which are bounded, are scanned; the table is not.
            #expect(!"\(plan)".contains("SCAN submission"), "\(plan)")
        } else {
            #expect(!plan.readsAll, "\(plan)")
        }
    }

    @Test(arguments: Engine.allCases)
    func theFirstSubmissionSinceATimeIsFoundByItsIndex(on engine: Engine) async throws {
        let plan = try await plan(SubmissionListing.firstSinceSQL, [SQLValue(Date())], on: engine)
        if engine == .sqlite { #expect(plan.uses(index: "submission_by_receipt"), "\(plan)") }
        #expect(!plan.readsAll, "\(plan)")
    }

    /// All leases are in an index of their own, which contains only the current leases.
    @Test(arguments: [SQLSubmissionQueue.takeOverSQL, SQLSubmissionQueue.giveBackSQL])
    func leasesAreFoundWithoutTheRows(sql: String) async throws {
        for engine in Engine.allCases {
            let plan = try await plan(sql, 1, on: engine)
            #expect(plan.uses(index: "submission_by_lease") || plan.uses(index: "submission_by_status"), "\(plan)")
            // SQLite reads that whole index, which it calls a scan.
            if engine == .postgresql { #expect(!plan.readsAll, "\(plan)") }
        }
    }
}
