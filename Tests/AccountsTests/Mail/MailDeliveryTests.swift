import AccessTestSupport
import Foundation
import ResearchResults
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Accounts

@Suite(.timeLimit(.minutes(10)))
struct MailDeliveryTests {
    private let unavailable = MailOutcome.unavailable(MailProblem("mail-server-unreachable"))
    private let deferred = MailOutcome.deferred(MailProblem("mail-deferred", reply: 451))
    private let refused = MailOutcome.refused(MailProblem("mail-refused", reply: 550))

    /// A delivery that waits only milliseconds.
    private func delivery(_ queue: MailQueue, _ sender: any MailSender, log: MailLog = MailLog()) -> MailDelivery {
        MailDelivery(
            queue: queue, sender: sender, logger: log.logger, schedule: MailSchedule(first: 0.001, longest: 0.001),
            pace: .init(poll: .milliseconds(20), firstPause: .milliseconds(1), longestPause: .milliseconds(2)))
    }

    /// Passes the body a queue with the system's clock.
    private func withQueue(_ body: (MailQueue, any SQLDatabase) async throws -> Void) async throws {
        try await withMailQueue { _, database, _ in try await body(MailQueue(database: database), database) }
    }

    /// Runs a delivery until the queue is empty.
    private func runUntilEmpty(_ delivery: MailDelivery, _ queue: MailQueue) async throws {
        let running = Task { await delivery.run() }
        let deadline = Patience.deadline
        while try await queue.count() > 0, .now < deadline { await Task.yield() }
        running.cancel()
        await running.value
        #expect(try await queue.count() == 0)
    }

    @Test func aServerThatIsDownAtFirstGetsTheMailOnce() async throws {
        try await withQueue { queue, database in
            let (sender, log) = (try ScriptedSender([unavailable, unavailable, unavailable, .accepted]), MailLog())
            try await queue.enqueue(["ann"], in: database)
            try await runUntilEmpty(delivery(queue, sender, log: log), queue)
            #expect(sender.names == ["ann", "ann", "ann", "ann"])
            // Each attempt has the same message.
            #expect(Set(sender.messages).count == 1)
            // The trouble is logged once, and its end.
            #expect(log.lines.filter { $0.contains("mail cannot be sent") }.count == 1)
            #expect(log.lines.filter { $0.contains("mail is sent again") }.count == 1)
        }
    }

    @Test func theSignalMakesTheDeliveryBegin() async throws {
        try await withQueue { queue, database in
            let sender = try ScriptedSender([.accepted])
            let delivery = MailDelivery(
                queue: queue, sender: sender, logger: MailLog().logger,
                pace: .init(poll: .seconds(Patience.seconds * 2)))
            let running = Task { await delivery.run() }
            for name in ["a", "b"] {
                try await queue.enqueue([name], in: database)
                await queue.arrivals.send()
                let sent = await sender.attempts.first { _ in true }
                #expect(sent?.content.subject == "for \(name)")
            }
            running.cancel()
            await running.value
        }
    }

    @Test func aDeferredMailDelaysNoOther() async throws {
        try await withMailQueue { queue, database, clock in
            let sender = try ScriptedSender([deferred, .accepted])
            let delivery = MailDelivery(queue: queue, sender: sender, logger: MailLog().logger)
            try await queue.enqueue(["a", "b", "c"], in: database)
            var attempt: MailDelivery.Attempt?
            while try await delivery.step(&attempt) != nil {}
            #expect(sender.names == ["a", "b", "c"] && attempt == nil)
            clock.advance(2)
            #expect(try await delivery.step(&attempt) == .accepted)
            #expect(sender.names == ["a", "b", "c", "a"])
        }
    }

    @Test func aRefusedMailAndOneWithABadRowAreRemoved() async throws {
        try await withMailQueue { queue, database, _ in
            let (sender, log) = (try ScriptedSender([refused]), MailLog())
            let delivery = MailDelivery(queue: queue, sender: sender, logger: log.logger)
            try await queue.enqueue(["ann", "bob"], in: database)
            try await database.write { transaction in
                _ = try transaction.execute(
                    "UPDATE mail_message SET recipient = ? WHERE subject = 'for bob'", ["bob@example.org\r\nRCPT TO:x"])
            }
            var attempt: MailDelivery.Attempt?
            while try await delivery.step(&attempt) != nil {}
            #expect(sender.names == ["ann"])
            #expect(try await queue.count() == 0)
            #expect(log.lines.contains { $0.contains("mail-refused") && $0.contains("550") })
            #expect(log.lines.contains { $0.contains("mail-unreadable") })
        }
    }

    @Test func theLogHasNothingOfAMail() async throws {
        try await withMailQueue { queue, database, clock in
            let log = MailLog()
            let outcomes = [unavailable, deferred, .cancelled, refused, .accepted, deferred]
            let delivery = MailDelivery(queue: queue, sender: try ScriptedSender(outcomes), logger: log.logger)
            try await queue.enqueue((0..<6).map { "planted\($0)" }, in: database)
            var attempt: MailDelivery.Attempt?
            for _ in 0..<20 where try await delivery.step(&attempt) == nil { clock.advance(3 * 86_400) }
            #expect(try await queue.count() == 0)
            #expect(log.lines.contains { $0.contains("given up") } && log.lines.contains { $0.contains("was sent") })
            #expect(!log.lines.contains { $0.contains("planted") || $0.contains("@") || $0.contains("Code") })
        }
    }

    @Test func aMailIsNotSentAgainIfItsOutcomeCannotBeRecordedAtFirst() async throws {
        try await withMailQueue { _, database, clock in
            let failing = FailingDatabase(database)
            let queue = MailQueue(database: failing, clock: .ofCaller, date: { clock.now })
            let sender = try ScriptedSender([.accepted])
            let delivery = MailDelivery(queue: queue, sender: sender, logger: MailLog().logger)
            try await queue.enqueue(["a"], in: database)
            // The write of the lease succeeds, and those of the outcome fail.
            let mail = try #require(try await queue.lease(owner: "one"))
            var attempt: MailDelivery.Attempt? = .init(mail: mail, outcome: .accepted)
            failing.fail(2)
            for _ in 0..<2 { await #expect(throws: StorageError.self) { try await delivery.step(&attempt) } }
            #expect(attempt != nil)
            #expect(try await delivery.step(&attempt) == nil)
            #expect(attempt == nil && sender.names == [])
            #expect(try await queue.count() == 0)
        }
    }

    @Test func aStoreThatFailsStopsTheDeliveryForAWhileOnly() async throws {
        try await withQueue { _, database in
            let failing = FailingDatabase(database)
            let queue = MailQueue(database: failing)
            let (sender, log) = (try ScriptedSender([.accepted]), MailLog())
            try await queue.enqueue(["a", "b"], in: database)
            failing.fail(3)
            try await runUntilEmpty(delivery(queue, sender, log: log), queue)
            #expect(sender.names == ["a", "b"])
            #expect(log.lines.contains { $0.contains("storage-full") })
        }
    }

    @Test func theEndOfAServerKeepsTheMail() async throws {
        try await withQueue { queue, database in
            let server = try SMTPResponder(["RCPT": .hang])
            defer { server.stop() }
            let configuration = try MailConfiguration([
                "smtp": .string("127.0.0.1:\(server.port)"), "from": "s@example.org",
            ])
            let sender = try SMTPSender(configuration, in: URL(fileURLWithPath: "/"))
            try await queue.enqueue(["ann"], in: database)
            let running = Task { await delivery(queue, sender).run() }
            // The mail is being sent when it is not due any more.
            let deadline = Patience.deadline
            while try await queue.untilNextDue().map({ $0 <= .zero }) ?? true, .now < deadline { await Task.yield() }
            running.cancel()
            await running.value
            let mail = try #require(try await queue.lease(owner: "next"))
            #expect(mail.name == "ann" && mail.attempts == 0)
        }
    }

    @Test func aServerThatHangsDelaysTheMailOnly() async throws {
        try await withQueue { queue, database in
            let hanging = try SMTPResponder([".": .hang])
            let configuration = try MailConfiguration(
                ["smtp": .string("127.0.0.1:\(hanging.port)"), "from": "s@example.org"])
            let limits = SMTPSender.Limits(connecting: .milliseconds(100), whole: .milliseconds(100))
            let sender = try SMTPSender(configuration, in: URL(fileURLWithPath: "/"), limits: limits)
            let log = MailLog()
            let running = Task { await delivery(queue, sender, log: log).run() }
            try await queue.enqueue(["ann"], in: database)
            let deadline = Patience.deadline
            while !log.lines.contains(where: { $0.contains("mail-server-timeout") }), .now < deadline {
                // Other work on the store goes its way.
                try await queue.enqueue([], in: database)
                await Task.yield()
            }
            hanging.stop()
            running.cancel()
            await running.value
            #expect(try await queue.count() == 1)
        }
    }
}
