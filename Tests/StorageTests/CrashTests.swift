import Foundation
import SubmissionsTestSupport
import Testing

@testable import Storage
@testable import Submissions

/// Submissions whose processing killed the consumer's process.
@Suite(.timeLimit(.minutes(10)))
struct CrashTests {
    /// Handles all submissions until the process crashes on one named `guilty`; then another process continues.
    ///
    /// - Returns: The handled submissions in order, and the number of crashes.
    private func work(_ queue: SQLSubmissionQueue, guilty: Set<String>) async throws -> ([String], deaths: Int) {
        var handled: [String] = []
        var deaths = 0
        while deaths < 50 {
            let owner = "process \(deaths)"
            try await queue.takeOverLeases(owner: owner)
            var died = false
            while !died {
                let leased = try await queue.leaseAll(owner)
                guard !leased.isEmpty else { return (handled, deaths) }
                for submission in leased {
                    if guilty.contains(submission.submissionID) {
                        died = true
                        break
                    }
                    #expect(try await queue.settle(submission, status: .stored))
                    handled.append(submission.submissionID)
                }
            }
            deaths += 1
        }
        return (handled, deaths)
    }

    @Test(arguments: Engine.allCases)
    func onlyTheCrashingSubmissionIsQuarantinedAndTheOthersAreHandled(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            for id in ["a1", "b1", "b2", "c1", "c2", "a2"] {
                _ = try await queue.enqueue(submission(id, client: String(id.prefix(1))))
            }
            let (handled, deaths) = try await work(queue, guilty: ["b1"])
            #expect(deaths == 3)
            #expect(Set(handled) == ["a1", "a2", "b2", "c1", "c2"] && handled.count == 5)
            let quarantined = try #require(try await queue.show(submissionID: "b1").first)
            #expect(quarantined.status == .quarantined && quarantined.reasonCode == "processing-crashed")
            #expect(try await queue.status(now: time()).quarantined == 1)
            // A retry by the staff gives it three more attempts.
            #expect(try await queue.retry(submissionID: "b1"))
            let again = try await work(queue, guilty: [])
            #expect(again.0 == ["b1"] && again.deaths == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func severalCrashingSubmissionsAreEachIdentified(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            let ids = ["a1", "b1", "a2", "b2", "a3", "c1", "a4"]
            for id in ids { _ = try await queue.enqueue(submission(id, client: String(id.prefix(1)))) }
            let guilty: Set<String> = ["a2", "a3", "b2"]
            let (handled, deaths) = try await work(queue, guilty: guilty)
            #expect(deaths <= 9)
            #expect(handled.count == 4 && Set(handled) == Set(ids).subtracting(guilty))
            #expect(handled.filter { $0.hasPrefix("a") } == ["a1", "a4"])
            let quarantined = try await queue.show(submissionID: nil)
            #expect(Set(quarantined.map(\.submissionID)) == guilty)
            #expect(quarantined.allSatisfy { $0.reasonCode == "processing-crashed" })
        }
    }

    /// If the store was busy for both settling and returning, the same owner finds its own lease.
    @Test(arguments: Engine.allCases)
    func repeatedLeaseByTheSameOwnerIsNotACrash(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            _ = try await queue.enqueue(submission("a"))
            for round in 0..<10 {
                #expect(try await queue.leaseNumbers("one", at: time(Double(round))) == ["a"])
            }
            // After three crashes the submission is the cause.
            for process in ["two", "three"] {
                try await queue.takeOverLeases(owner: process)
                #expect(try await queue.leaseNumbers(process) == ["a"])
                #expect(try await queue.leaseNumbers(process) == ["a"])
            }
            try await queue.takeOverLeases(owner: "four")
            #expect(try await queue.leaseNumbers("four") == [])
            #expect(try await queue.show(submissionID: "a").first?.reasonCode == "processing-crashed")
        }
    }

    @Test(arguments: Engine.allCases)
    func beginningIsStoredWithTheLease(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            _ = try await queue.enqueue(submission("a"))
            _ = try await queue.leaseAll()
            let row = try await database.read { try $0.first("SELECT begun, lease, lease_owner FROM submission") }
            #expect(try row?.integer("begun") == 1 && row?.integer("lease") == 1 && row?.text("lease_owner") == "o")
        }
    }
}
