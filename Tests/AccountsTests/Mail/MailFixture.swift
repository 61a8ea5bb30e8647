import AccessTestSupport
import Foundation
import Logging
import ResearchResults
import Storage
import StorageTestSupport
import Synchronization
import Testing

@testable import Accounts

/// Passes the body a queue of mails in a new people store, and the store.
func withMailQueue(
    on engine: TestEngine = .chosen, _ body: (MailQueue, any SQLDatabase, TestClock) async throws -> Void
) async throws {
    try await withTemporaryDatabase([.baseline(of: "people", MailSchema.sections)], on: engine) { database in
        let clock = TestClock()
        try await body(MailQueue(database: database, clock: .ofCaller, date: { clock.now }), database, clock)
    }
}

/// Returns a mail whose address, subject and text contain a name.
func mail(_ name: String) throws -> MailContent {
    try MailContent(to: EmailAddress("\(name)@example.org"), subject: "for \(name)", text: "Code: \(name)\n")
}

extension MailQueue {
    /// Queues mails, each in a transaction of its own.
    func enqueue(_ names: [String], in database: any SQLDatabase) async throws {
        for name in names {
            let mail = try mail(name)
            try await database.write { _ = try enqueue(mail, in: $0) }
        }
    }
}

extension QueuedMail {
    /// The name that ``mail(_:)`` was given.
    var name: String? { content?.recipient.text.split(separator: "@").first.map(String.init) }
}

/// A sender that records the mails, with outcomes in order; the last one stays.
final class ScriptedSender: MailSender {
    let sender: EmailAddress
    private let outcomes: Mutex<[MailOutcome]>
    private let passed = Mutex<[MailMessage]>([])
    /// The mails, in the order of the attempts.
    let attempts: AsyncStream<MailMessage>
    private let continuation: AsyncStream<MailMessage>.Continuation

    init(_ outcomes: [MailOutcome]) throws {
        sender = try EmailAddress("study@example.org")
        self.outcomes = Mutex(outcomes)
        (attempts, continuation) = AsyncStream<MailMessage>.makeStream()
    }

    var messages: [MailMessage] { passed.withLock { $0 } }
    var names: [String] { messages.map { $0.content.recipient.text.split(separator: "@").map(String.init)[0] } }

    func send(_ message: MailMessage) async -> MailOutcome {
        passed.withLock { $0.append(message) }
        continuation.yield(message)
        return outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}

/// The lines of a log.
final class MailLog: Sendable {
    private let captured = Mutex<[String]>([])

    var lines: [String] { captured.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: MailLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.captured.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}

/// A database whose writes fail for a number of times that a test sets.
final class FailingDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let failures = Mutex(0)

    init(_ database: any SQLDatabase) { self.database = database }

    func fail(_ count: Int) { failures.withLock { $0 = count } }

    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        try await database.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T) async throws -> T {
        let fails = failures.withLock { failures in
            defer { failures = max(0, failures - 1) }
            return failures > 0
        }
        if fails { throw StorageError(code: "storage-full", message: "Full.") }
        return try await database.write(body)
    }

    func close() async throws { try await database.close() }
}
