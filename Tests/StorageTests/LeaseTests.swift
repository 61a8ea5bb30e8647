import Foundation
import Testing

@testable import Storage

/// Who may handle what, and in which order.
@Suite(.timeLimit(.minutes(10)))
struct LeaseTests {
    private func enqueue(_ names: [String], in queue: SQLSubmissionQueue) async throws {
        // The first letter is the lane.
        for name in names { _ = try await queue.enqueue(submission(name, client: String(name.prefix(1)))) }
    }

    @Test(arguments: Engine.allCases)
    func leasesKeepTheOrderOfEachLane(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "b1", "a2", "b2"], in: queue)
            // The first owner takes a1; the rest of a's lane must wait for it.
            let first = try await queue.leaseAll("one", limit: 1)
            #expect(first.map(\.submissionID) == ["a1"])
            let second = try await queue.leaseAll("two")
            #expect(second.map(\.submissionID) == ["b1", "b2"])
            #expect(try await queue.leaseNumbers("three") == [])
            // What was begun and is not ended holds up its lane, also for its owner, who gets it again.
            #expect(try await queue.leaseNumbers("one") == ["a1"])
            for leased in second { #expect(try await queue.settle(leased, .stored)) }
            // Once the lease has expired, another takes over from the start.
            #expect(try await queue.leaseNumbers("three", at: time(31)) == ["a1"])
            #expect(try await queue.leaseNumbers("one", at: time(32)) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func aLaneWhoseHeadWasBegunComesLastAndAlone(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2"], in: queue)
            #expect(try await queue.leaseNumbers("dead", limit: 1) == ["a1"])
            try await queue.takeOverLeases(owner: "one")
            try await enqueue(["b1", "a3", "b2"], in: queue)
            // The others go first, and nothing of the lane goes before its head.
            let others = try await queue.leaseAll("one")
            #expect(others.map(\.submissionID) == ["b1", "b2"])
            for leased in others { #expect(try await queue.settle(leased, .stored)) }
            let head = try await queue.leaseAll("one")
            #expect(head.map(\.submissionID) == ["a1"])
            #expect(try await queue.settle(head[0], .stored))
            #expect(try await queue.leaseNumbers("one") == ["a2", "a3"])
        }
    }

    @Test(arguments: Engine.allCases)
    func whatStandsBeforeOneThatWasBegunDoesNotWaitForIt(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2", "a3"], in: queue)
            let all = try await queue.leaseAll("dead")
            #expect(try await queue.settle(all[0], .held, "no-consent"))
            try await queue.takeOverLeases(owner: "one")
            #expect(try await queue.release(.lane("a"), at: time(1)) == 1)
            let old = try await queue.leaseAll("one")
            #expect(old.map(\.submissionID) == ["a1"])
        }
    }

    @Test(arguments: Engine.allCases)
    func whoLostTheLeaseCannotSettle(engine: Engine) async throws {
        try await engine.withQueue { queue, database async throws in
            try await enqueue(["a1"], in: queue)
            let lost = try #require(try await queue.leaseAll("one").first)
            // Expired and leased by another.
            let stolen = try #require(try await queue.leaseAll("two", at: time(31)).first)
            #expect(stolen.lease > lost.lease)
            #expect(try await !queue.isHeld(lost))
            #expect(try await queue.isHeld(stolen))
            let before = try await database.queueContents()
            #expect(try await !queue.settle(lost, .stored))
            try await queue.postpone(lost, isFailure: true)
            #expect(try await database.queueContents() == before)
            // The same owner again, with a newer lease: the number decides, not the name alone.
            let newer = try #require(try await queue.leaseAll("two", at: time(32)).first)
            #expect(try await !queue.settle(stolen, .refused))
            // Another process has the consumer's lock.
            try await queue.takeOverLeases(owner: "three")
            #expect(try await !queue.isHeld(newer))
            #expect(try await !queue.settle(newer, .stored))
            let last = try #require(try await queue.leaseAll("three", at: time(33)).first)
            #expect(try await queue.settle(last, .stored))
            #expect(try await queue.show(submissionID: "a1").map(\.status) == [.stored])
        }
    }

    /// A consumer that comes late may not do what stands behind while another does the head.
    @Test(arguments: Engine.allCases)
    func whoseLeaseRanOutLosesAllOfTheLane(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2", "b1"], in: queue)
            let late = try await queue.leaseAll("one")
            #expect(late.map(\.submissionID) == ["a1", "a2", "b1"])
            let head = try await queue.leaseAll("two", at: time(31))
            #expect(head.map(\.submissionID) == ["a1"])
            #expect(try await !queue.isHeld(late[1]))
            #expect(try await !queue.settle(late[1], .stored))
            // What nobody else has taken up is its own still.
            #expect(try await queue.settle(late[2], .stored))
            #expect(try await queue.settle(head[0], .stored))
            #expect(try await queue.leaseNumbers("two", at: time(32)) == ["a2"])
        }
    }

    @Test(arguments: Engine.allCases)
    func takingOverSparesOnesOwnLeases(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "b1"], in: queue)
            let own = try #require(try await queue.leaseAll("one", limit: 1).first)
            let other = try #require(try await queue.leaseAll("two", limit: 1).first)
            try await queue.takeOverLeases(owner: "one")
            #expect(try await queue.isHeld(own))
            #expect(try await !queue.isHeld(other))
        }
    }

    @Test(arguments: Engine.allCases)
    func whatIsGivenBackWasNotBegun(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2", "b1"], in: queue)
            for round in 0..<5 {
                let leased = try await queue.leaseAll("one \(round)")
                #expect(leased.map(\.submissionID) == ["a1", "a2", "b1"])
                try await queue.giveBack(owner: "one \(round)")
                #expect(try await !queue.isHeld(leased[0]))
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func aFailedAttemptGivesTheLaneBack(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2", "a3", "b1"], in: queue)
            let leased = try await queue.leaseAll("one")
            #expect(try await queue.settle(leased[0], .stored))
            try await queue.postpone(leased[1], isFailure: true)
            #expect(try await !queue.isHeld(leased[2]))
            #expect(try await queue.isHeld(leased[3]))
            let again = try await queue.leaseAll("two", at: time(1))
            #expect(again.map(\.submissionID) == ["a2", "a3"])
            #expect(again.map(\.attempts) == [1, 0])
            // A store in trouble is no failure of the submission.
            try await queue.postpone(again[0], isFailure: false)
            #expect(try await queue.leaseAll("two", at: time(2)).map(\.attempts) == [1, 0])
        }
    }

    /// Found by the random histories: the head leased again by its owner, and postponed under its newer number.
    @Test(arguments: Engine.allCases)
    func whatIsPostponedTakesEarlierLeasesOfItsLaneWithIt(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1", "a2"], in: queue)
            let first = try await queue.leaseAll("one")
            let again = try await queue.leaseAll("one", at: time(1))
            #expect(again.map(\.submissionID) == ["a1"])
            try await queue.postpone(again[0], isFailure: false)
            #expect(try await !queue.settle(first[1], .stored))
            #expect(try await queue.leaseNumbers("one", at: time(2)) == ["a1", "a2"])
        }
    }

    @Test(arguments: Engine.allCases)
    func nothingIsLeasedForNoPlaces(engine: Engine) async throws {
        try await engine.withQueue { queue, _ async throws in
            try await enqueue(["a1"], in: queue)
            #expect(try await queue.leaseNumbers("one", limit: 0) == [])
            #expect(try await queue.leaseNumbers("one", limit: -1) == [])
            #expect(try await queue.leaseNumbers("one") == ["a1"])
        }
    }
}
