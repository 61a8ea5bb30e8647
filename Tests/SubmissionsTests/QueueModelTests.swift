import Foundation
import SubmissionsTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Submissions

/// Random histories of a few devices and two consumers, each of which may crash, take over leases, be late or retry.
@Suite(.timeLimit(.minutes(10)))
struct QueueModelTests {
    @Test(arguments: Engine.allCases)
    func deviceQueuesKeepTheirOrderWithoutLossOrRepetition(engine: Engine) async throws {
        // The first seed failed once: a submission between a crashed one and one begun before it was skipped.
        for seed in [16_344_419_373_144_103_708] + (0..<8).map({ _ in Seeded.newSeed() }) {
            try await engine.withQueue { queue, database async throws in
                var history = QueueHistory(queue: queue, database: database, seed: seed)
                for _ in 0..<150 { try await history.step() }
                try await history.finish()
            }
        }
    }
}

/// One history: each step is done by the queue and by the model.
private struct QueueHistory {
    let queue: SQLSubmissionQueue
    let database: any SQLDatabase
    let seed: UInt64
    var generator: Seeded
    var model = QueueModel()
    var now = 0.0
    var owners = ["one", "two"]
    var processes = 2
    /// Leased and unfinished submissions of each owner, in the order of arrival.
    var inHand: [String: [Int64: QueuedSubmission]] = [:]
    var past: [QueuedSubmission] = []
    var final: [Int64: Int] = [:]

    init(queue: SQLSubmissionQueue, database: any SQLDatabase, seed: UInt64) {
        self.queue = queue
        self.database = database
        self.seed = seed
        generator = Seeded(seed)
    }

    private mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func step() async throws {
        let owner = owners[random(2)]
        switch random(20) {
        case 0..<5: try await enqueue()
        case 5..<9: try await lease(owner, isIdle: random(3) > 0)
        case 9..<14: try await settle(owner)
        case 14:
            guard let submission = next(of: owner) else { return }
            let isFailure = random(2) == 0
            model.postpone(submission, isFailure: isFailure)
            try await queue.postpone(submission, isFailure: isFailure)
        case 15: try await die()
        case 16: now += Double(random(20))
        case 17: try await release()
        case 18:
            let expected = model.requeue { $0.status == .quarantined }
            #expect(try await queue.retryAllQuarantined() == expected, "seed \(seed)")
        default:
            guard let stale = past.filter({ !model.isHeld($0) }).randomElement(using: &generator) else { return }
            #expect(try await !queue.settle(stale, status: .refused), "seed \(seed)")
        }
        try await compare()
    }

    private mutating func enqueue() async throws {
        let enrolmentID = "lane \(random(4))"
        let id = "s\(random(60))"
        let result = try await queue.enqueue(submission(id, client: enrolmentID))
        let row = try await queue.show(submissionID: id).first { $0.enrolmentID == enrolmentID }
        let number = try #require(row).number
        let expected = model.enqueue(enrolmentID: enrolmentID, submissionID: id, number: number)
        #expect(result == expected, "seed \(seed)")
    }

    private mutating func lease(_ owner: String, isIdle: Bool) async throws {
        let limit = 1 + random(6)
        let expected = model.lease(owner: owner, limit: limit, duration: 30, now: now, isIdle: isIdle)
        let leased = try await queue.lease(owner: owner, limit: limit, duration: 30, now: time(now), isIdle: isIdle)
        try #require(leased.map(\.number) == expected, "seed \(seed)")
        for submission in leased {
            inHand[owner, default: [:]][submission.number] = submission
            past.append(submission)
        }
    }

    /// Returns the first submission of an owner in some device queue: later ones wait for it.
    private mutating func next(of owner: String) -> QueuedSubmission? {
        let all = (inHand[owner] ?? [:]).values.sorted { $0.number < $1.number }
        guard let some = all.randomElement(using: &generator) else { return nil }
        let first = all.first { $0.enrolmentID == some.enrolmentID }
        if let first { inHand[owner]?[first.number] = nil }
        return first
    }

    private mutating func settle(_ owner: String) async throws {
        guard let submission = next(of: owner) else { return }
        let status: SubmissionStatus = [.stored, .stored, .stored, .refused, .held, .quarantined][random(6)]
        let outcome = SubmissionOutcome(status: status, releasesHeld: status == .stored && random(3) == 0)
        let isHeld = model.isHeld(submission)
        #expect(try await queue.isHeld(submission) == isHeld, "seed \(seed)")
        if isHeld {
            #expect(!model.isOutOfOrder(submission), "seed \(seed): \(submission.number) passed another")
            if status.isFinal { final[submission.number, default: 0] += 1 }
        }
        let expected = model.settle(submission, as: outcome)
        #expect(try await queue.settle(submission, as: outcome, at: time(now)) == expected, "seed \(seed)")
    }

    /// Crashes one owner; its next process takes over all leases, returns them, or waits until they expire.
    private mutating func die() async throws {
        let index = random(2)
        let dead = owners[index]
        if random(4) == 0 {
            model.giveBack(owner: dead)
            try await queue.giveBack(owner: dead)
        }
        inHand[dead] = nil
        processes += 1
        owners[index] = "process \(processes)"
        guard random(2) == 0 else { return }
        model.takeOver(owner: owners[index])
        try await queue.takeOverLeases(owner: owners[index])
    }

    private mutating func release() async throws {
        let enrolmentID = "lane \(random(4))"
        let expected = model.requeue { $0.enrolmentID == enrolmentID && $0.status == .held }
        #expect(try await queue.release(.deviceQueue(enrolmentID), at: time(now)) == expected, "seed \(seed)")
    }

    private func compare() async throws {
        let rows = try await database.read {
            try $0.query("SELECT number, status, begun, attempts, lease_owner FROM submission ORDER BY number").map {
                let row = [$0["number"], $0["status"], $0["begun"], $0["attempts"], $0["lease_owner"]]
                return row.map { "\($0)" }.joined(separator: " ")
            }
        }
        let expected = model.entries.map { entry in
            let row: [SQLValue] = [
                SQLValue(entry.number), SQLValue(entry.status.rawValue), SQLValue(entry.begun),
                SQLValue(entry.attempts), SQLValue(entry.owner),
            ]
            return row.map { "\($0)" }.joined(separator: " ")
        }
        try #require(rows == expected, "seed \(seed)")
    }

    /// Handles all remaining submissions with the last process.
    mutating func finish() async throws {
        try await queue.takeOverLeases(owner: "last")
        model.takeOver(owner: "last")
        inHand = [:]
        let deadline = Patience.deadline
        while ContinuousClock.now < deadline {
            for enrolmentID in 0..<4 {
                let enrolmentID = "lane \(enrolmentID)"
                model.requeue { $0.enrolmentID == enrolmentID && $0.status == .held }
                try await queue.release(.deviceQueue(enrolmentID), at: time(now))
            }
            model.requeue { $0.status == .quarantined }
            _ = try await queue.retryAllQuarantined()
            try await lease("last", isIdle: true)
            guard inHand["last"]?.isEmpty == false else { break }
            while let submission = next(of: "last") {
                #expect(!model.isOutOfOrder(submission), "seed \(seed)")
                final[submission.number, default: 0] += 1
                let isSettled = model.settle(submission, as: SubmissionOutcome(status: .stored))
                #expect(isSettled, "seed \(seed)")
                #expect(try await queue.settle(submission, status: .stored), "seed \(seed)")
            }
        }
        try await compare()
        #expect(model.entries.allSatisfy { final[$0.number] == 1 }, "seed \(seed): lost or twice")
        #expect(try await queue.status(now: time(now)).depth == 0)
    }
}
