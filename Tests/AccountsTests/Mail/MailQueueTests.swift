import AccessTestSupport
import Foundation
import ResearchResults
import Storage
import StorageTestSupport
import Testing

@testable import Accounts

@Suite(.timeLimit(.minutes(10)))
struct MailQueueTests {
    private let deferred = MailOutcome.deferred(MailProblem("mail-deferred", reply: 451))

    @Test(arguments: TestEngine.allCases)
    func aMailIsQueuedWithItsCauseOrNotAtAll(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            struct Failure: Error {}
            let mail = try mail("ann")
            await #expect(throws: Failure.self) {
                try await database.write { transaction in
                    try queue.enqueue(mail, in: transaction)
                    throw Failure()
                }
            }
            #expect(try await queue.count() == 0)
            try await queue.enqueue(["ann"], in: database)
            #expect(try await queue.count() == 1)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func mailsAreTakenInOrderAndEachByOneProcess(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, clock in
            #expect(try await queue.lease(owner: "one") == nil)
            try await queue.enqueue(["a", "b", "c"], in: database)
            let first = try #require(try await queue.lease(owner: "one"))
            let second = try #require(try await queue.lease(owner: "two"))
            #expect([first.name, second.name] == ["a", "b"])
            #expect(
                try await queue.settle(first, as: deferred) == .retry(at: clock.now.addingTimeInterval(2), attempts: 1))
            #expect(try await queue.settle(second, as: .accepted) == .remove(.sent))
            #expect(try await queue.lease(owner: "one")?.name == "c")
            #expect(try await queue.lease(owner: "two") == nil)
            #expect(try await queue.untilNextDue() == .seconds(2))
            clock.advance(2)
            let again = try #require(try await queue.lease(owner: "two"))
            #expect(again.name == "a" && again.attempts == 1 && again.id == first.id)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func nothingOfASentMailRemains(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            try await queue.enqueue(["ann", "bob"], in: database)
            #expect(try await database.contents(["mail_message"]).contains("Code: ann"))
            let mail = try #require(try await queue.lease(owner: "one"))
            try await queue.settle(mail, as: .accepted)
            let contents = try await database.contents(["mail_message"])
            #expect(!contents.contains("ann") && contents.contains("bob"))
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aMailIsGivenUpAfterTwoDays(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, clock in
            try await queue.enqueue(["ann"], in: database)
            var (attempts, decision) = (0, MailDecision?.none)
            while attempts < 1_000 {
                guard let mail = try await queue.lease(owner: "one") else {
                    clock.advance(try #require(try await queue.untilNextDue()) / .seconds(1))
                    continue
                }
                #expect(mail.attempts == attempts)
                attempts += 1
                decision = try await queue.settle(mail, as: deferred)
                if case .remove = decision { break }
            }
            #expect(decision == .remove(.givenUp) && (150...250).contains(attempts))
            #expect(try await queue.count() == 0 && clock.now == TestClock().now.addingTimeInterval(2 * 86_400))
        }
    }

    @Test(arguments: TestEngine.allCases)
    func aLostLeaseChangesNothing(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, clock in
            try await queue.enqueue(["ann"], in: database)
            let first = try #require(try await queue.lease(owner: "one"))
            clock.advance(MailQueue.leaseSeconds - 1)
            #expect(try await queue.lease(owner: "two") == nil)
            clock.advance(1)
            // The same process may be the one that takes it again.
            let second = try #require(try await queue.lease(owner: "one"))
            #expect(try await queue.settle(first, as: .accepted) == nil)
            #expect(try await queue.settle(first, as: deferred) == nil)
            #expect(try await queue.count() == 1)
            #expect(try await queue.settle(second, as: .accepted) == .remove(.sent))
            #expect(try await queue.settle(second, as: .accepted) == nil)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func theMailOfAKilledProcessIsDueAtOnce(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            try await queue.enqueue(["a", "b", "c"], in: database)
            let own = LeaseOwner.ofThisProcess().description
            // No process has this number; a process of another host may run.
            let gone = "\(ProcessInfo.processInfo.hostName) 999999999 n"
            let leased = try await [
                queue.lease(owner: gone), queue.lease(owner: "elsewhere 999999999 n"), queue.lease(owner: own),
            ]
            try await queue.releaseAbandoned(owner: own)
            #expect(try await queue.lease(owner: own)?.name == "a")
            #expect(try await queue.lease(owner: own) == nil)
            #expect(try await queue.settle(try #require(leased[0]), as: .accepted) == nil)
            #expect(try await queue.settle(try #require(leased[2]), as: .accepted) == .remove(.sent))
        }
    }

    @Test(arguments: TestEngine.allCases)
    func theMailsToAnAddressCanBeRemoved(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            try await queue.enqueue(["a", "a", "b"], in: database)
            let mail = try #require(try await queue.lease(owner: "one"))
            let removed = try await database.write {
                try MailQueue.removeAll(to: EmailAddress("a@example.org"), in: $0)
            }
            #expect(removed == 2)
            #expect(try await queue.settle(mail, as: deferred) == nil)
            #expect(try await queue.lease(owner: "one")?.name == "b")
        }
    }

    @Test(arguments: TestEngine.allCases)
    func twoProcessesSendEachMailOnce(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            let names = (0..<40).map { "n\($0)" }
            try await queue.enqueue(names, in: database)
            let sender = try ScriptedSender([.accepted])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for owner in ["one", "two", "three"] {
                    group.addTask {
                        let delivery = MailDelivery(
                            queue: queue, sender: sender, logger: MailLog().logger, owner: owner)
                        var attempt: MailDelivery.Attempt?
                        while try await delivery.step(&attempt) != nil {}
                    }
                }
                try await group.waitForAll()
            }
            #expect(sender.names.sorted() == names.sorted())
            #expect(try await queue.count() == 0)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func everyStatementUsesAnIndex(engine: TestEngine) async throws {
        try await withMailQueue(on: engine) { queue, database, _ in
            try await queue.enqueue(["a"], in: database)
            for (sql, parameters, index) in [
                (MailQueue.dueSQL, 1, "mail_message_due"), (MailQueue.nextSQL, 0, "mail_message_due"),
                (MailQueue.releaseSQL, 2, "mail_message_by_owner"),
                (MailQueue.removeSQL, 1, "mail_message_by_recipient"),
                (MailQueue.ownersSQL, 0, "mail_message_by_owner"),
            ] {
                let plan = try await database.write {
                    try QueryPlan(sql, Array(repeating: SQLValue("2026"), count: parameters), in: $0)
                }
                #expect(plan.uses(index: index) && !plan.sorts, "\(sql): \(plan)")
            }
        }
    }
}
