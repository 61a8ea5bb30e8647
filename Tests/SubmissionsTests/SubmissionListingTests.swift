import Foundation
import StorageTestSupport
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// The pages and filters of the queue's listing agree with all its rows, on every engine.
@Suite(.timeLimit(.minutes(10)))
struct SubmissionListingTests {
    @Test(arguments: Engine.allCases)
    func pagesAndFiltersSelectTheRowsThatTheyName(on engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            let statuses: [SubmissionStatus] = [.received, .held, .quarantined, .refused, .stored]
            for index in 0..<60 { _ = try await queue.enqueue(submission("s\(index)", client: "c\(index % 7)")) }
            let start = Date(timeIntervalSince1970: 1_700_000_000)
            try await database.write { transaction in
                let numbers = try transaction.query("SELECT number FROM submission ORDER BY number")
                for (index, row) in numbers.enumerated() {
                    let status = statuses[index % statuses.count]
                    try transaction.execute(
                        "UPDATE submission SET status = ?, reason_code = ?, received_at = ? WHERE number = ?",
                        [
                            SQLValue(status.rawValue), SQLValue(index % 3 == 0 ? "first" : nil as String?),
                            SQLValue(start.addingTimeInterval(Double(index) * 60)), row["number"],
                        ])
                }
            }
            let all = try await queue.list(SubmissionListing(statuses: Set(statuses), limit: 1_000))
            #expect(all.count == 60)
            #expect(all.map(\.number) == all.map(\.number).sorted())
            let unstored = try await queue.list(SubmissionListing(limit: 1_000))
            #expect(unstored == all.filter { $0.status != .stored })
            for listing in [
                SubmissionListing(), SubmissionListing(statuses: [.held]), SubmissionListing(reason: "first"),
                SubmissionListing(statuses: [.stored, .refused], reason: "first"),
                SubmissionListing(since: start.addingTimeInterval(1_500)),
                SubmissionListing(statuses: [.stored], reason: "first", since: start.addingTimeInterval(600)),
                SubmissionListing(reason: "none"), SubmissionListing(since: start.addingTimeInterval(1_000_000)),
            ] {
                let wanted = all.filter { row in
                    let chosen = listing.statuses.isEmpty ? SubmissionListing.unstored : listing.statuses
                    return chosen.contains(row.status) && (listing.reason == nil || row.reasonCode == listing.reason)
                        && (listing.since.map { row.receivedAt >= $0 } ?? true)
                }
                var page = listing
                page.limit = 7
                var found: [SubmissionSummary] = []
                while true {
                    let rows = try await queue.list(page)
                    #expect(rows.count <= 7)
                    guard let last = rows.last else { break }
                    found += rows
                    page.after = last.number
                }
                #expect(found == wanted, "\(listing)")
            }
        }
    }
}
