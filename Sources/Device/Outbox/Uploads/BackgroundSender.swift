import Foundation
import Wire

/// Sends a store's queue by uploads that the system does, one after the other: what a phone does whose app is not running
/// most of the time.
///
/// ```swift
/// let sender = BackgroundSender(store: store, connection: connection, uploads: uploads)
/// try await sender.handOver()                                // after queueing, and at each start
/// for await answer in uploads.answers { try await sender.take(answer) }
/// ```
///
/// The rules are those of ``OutboxSender``, as for ``StudyConnection/sendAll(from:patience:timeLimit:)``, but nothing waits
/// in the process: the upload that comes next is handed over, and its answer goes on with it, in whatever process it comes.
/// Only the study's own word settles a submission:
///
/// - Its acknowledgement counts whenever it comes, and from whichever upload.
/// - Anything else counts only from the upload that is under way; that of an earlier attempt says nothing any more.
/// - What is answered and not in the queue any more is passed over.
/// - An upload that the system lost is handed over again by the next ``handOver()``; the submission's id makes it harmless.
public actor BackgroundSender {
    /// The standing of the queue after a step.
    public enum Standing: Sendable, Hashable {
        /// The queue is empty.
        case emptied
        /// The system has the first file; its answer goes on.
        case underWay(OutboxEntry)
        /// Nothing is under way: try again later; the stable code says why (``SendReport/reason``).
        case held(code: String)
        /// The Contract was refused: nothing goes before a new one.
        case stopped
    }

    private let store: DeviceStore
    private let connection: StudyConnection
    private let uploads: any UploadTransport
    private let patience: OutboxSender.Patience
    private var isAtWork = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes a sender; nothing is handed over yet.
    ///
    /// - Parameter patience: how long uploads wait after failures; how often is not bounded, for the system waits for a
    ///   network by itself.
    public init(
        store: DeviceStore, connection: StudyConnection, uploads: any UploadTransport,
        patience: OutboxSender.Patience = .init(attempts: .max, firstDelay: 30, longestDelay: 3_600)
    ) {
        self.store = store
        self.connection = connection
        self.uploads = uploads
        self.patience = patience
    }

    /// Hands over the upload that comes next, unless the system has one.
    ///
    /// - Throws: ``OutboxError``: `outbox-busy` if somebody else is sending, storage errors; `CancellationError`.
    @discardableResult
    public func handOver() async throws -> Standing {
        let standing = try await begin()
        // What a restored study lost goes back to the queue first. One restored again meanwhile is asked another time.
        guard standing == .held(code: StudyPath.restoredCode), try await hasLearned() else { return standing }
        return try await begin()
    }

    /// Asks what the study lost. That it cannot be asked now is no error: the next hand-over asks again.
    private func hasLearned() async throws -> Bool {
        do {
            try await connection.learnDeliveries(in: store)
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }

    private func begin() async throws -> Standing {
        try await alone {
            let note = self.note()
            if let note, let entry = OutboxEntry(name: note.name), try self.isQueued(entry),
                await self.uploads.tagsUnderWay().contains(note.tag)
            {
                return .underWay(entry)
            }
            return try await self.goOn(
                OutboxSender(patience: self.patience, failures: note?.failures ?? 0), .list, isAnswered: false)
        }
    }

    /// Takes what came of an upload, settles its submission, and hands over the next.
    ///
    /// - Throws: as ``handOver()``. The answer is lost then; the next ``handOver()`` sends the file again, and the study
    ///   knows it by its id.
    @discardableResult
    public func take(_ answer: UploadAnswer) async throws -> Standing {
        let standing = try await alone { () async throws -> Standing? in
            guard let entry = UploadNote.entry(in: answer.tag), try self.isQueued(entry) else { return nil }
            let event = self.event(answer, entry)
            guard let note = self.note(), note.tag == answer.tag else {
                if event.isAcknowledgement { try self.settle(entry) }
                return nil
            }
            var sender = OutboxSender(
                awaiting: entry, isRenewed: note.isRenewed, patience: self.patience, failures: note.failures)
            guard let effect = sender.handle(event) else { return nil }
            return try await self.goOn(sender, effect, isAnswered: true)
        }
        if let standing, standing != .held(code: StudyPath.restoredCode) { return standing }
        if standing != nil, try await !hasLearned() { return .held(code: StudyPath.restoredCode) }
        return try await handOver()
    }

    /// Hands over what comes next and takes answers as they come, until the task is cancelled or the answers end. While
    /// somebody else is sending, answers are passed over: what they tell of is sent again by whoever sends next.
    ///
    /// - Throws: ``OutboxError``: storage errors; `CancellationError`.
    public func run() async throws {
        try await unlessBusy { _ = try await self.handOver() }
        for await answer in uploads.answers { try await unlessBusy { _ = try await self.take(answer) } }
    }

    private func unlessBusy(_ step: () async throws -> Void) async throws {
        do { try await step() } catch let error as OutboxError where error.reason == .outboxBusy {}
    }

    // MARK: - Steps

    /// Does what the rules say until an upload is handed over or there is nothing to do.
    private func goOn(
        _ sender: OutboxSender, _ first: OutboxSender.Effect, isAnswered: Bool
    ) async throws -> Standing {
        let outbox = store.outbox
        let lock = try outbox.sendingLock()
        defer { withExtendedLifetime(lock) {} }
        let environment = connection.environment
        var (sender, effect, isAnswered) = (sender, first, isAnswered)
        var (isRenewed, notBefore): (Bool, Date?) = (false, nil)
        while true {
            try Task.checkCancellation()
            var event: OutboxSender.Event?
            switch effect {
            case .list: break
            case .read(let entry): event = readHeader(of: entry).event
            case .obtainToken(let renewing):
                isRenewed = renewing
                event = try await connection.tokenEvent(renewing: renewing)
            case .post(let entry):
                if try await begin(entry, isRenewed: isRenewed, failures: sender.failures, notBefore: notBefore) {
                    return .underWay(entry)
                }
                event = .networkFailed
            case .moveToSent(let entry):
                try outbox.moveToSent(entry, listedAs: readHeader(of: entry).header?.listedSubmissionID)
            case .moveAside(let entry, let status, let code):
                try outbox.moveAside(entry, because: Refusal(status: status, code: code, at: environment.now()))
            case .wait(let atLeast, let spread):
                // Only an answer says how long to wait before the next upload; what failed here would fail again.
                guard isAnswered else {
                    try forget(keeping: sender.failures)
                    return .held(code: sender.lastCode)
                }
                notBefore = environment.now().addingTimeInterval(atLeast + spread * environment.random())
            case .finish(let outcome):
                try forget(keeping: 0)
                switch outcome {
                case .emptied: return .emptied
                case .held(let code): return .held(code: code)
                case .stopped: return .stopped
                }
            }
            isAnswered = false
            if event == nil {
                let (entries, consent) = try outbox.snapshot()
                event = .queue(entries, consent)
            }
            guard let event, let next = sender.handle(event) else { return .held(code: sender.lastCode) }
            effect = next
        }
    }

    /// Hands a file over. The note stands first: an answer to what is not noted would be taken for an older one.
    /// - Returns: whether the system took it.
    private func begin(
        _ entry: OutboxEntry, isRenewed: Bool, failures: Int, notBefore: Date?
    ) async throws -> Bool {
        guard let header = readHeader(of: entry).header else { return false }
        let note = UploadNote(
            name: entry.name, attempt: UUID().uuidString, isRenewed: isRenewed, failures: failures)
        try store.save(note, named: UploadNote.fileName)
        do {
            let request = try await connection.submissionRequest(
                header, kind: entry.kind, epoch: store.deliveriesPosition()?.epoch(for: connection.enrolment))
            try await uploads.begin(
                QueuedUpload(
                    tag: note.tag, request: request,
                    file: store.outbox.folder.appendingPathComponent(entry.name), notBefore: notBefore))
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }

    /// Notes that the study has a submission.
    private func settle(_ entry: OutboxEntry) throws(OutboxError) {
        let lock = try store.outbox.sendingLock()
        defer { withExtendedLifetime(lock) {} }
        try store.outbox.moveToSent(entry, listedAs: readHeader(of: entry).header?.listedSubmissionID)
    }

    private func event(_ answer: UploadAnswer, _ entry: OutboxEntry) -> OutboxSender.Event {
        guard let response = answer.response, let header = readHeader(of: entry).header else { return .networkFailed }
        return .answered(
            SubmissionAnswer(
                response, to: header.listedSubmissionID, sentAs: header.format, now: connection.environment.now()))
    }

    private func readHeader(of entry: OutboxEntry) -> (event: OutboxSender.Event, header: EnvelopeHeader?) {
        do throws(OutboxError) {
            return (.fileRead, try store.outbox.readEnvelope(entry).header)
        } catch {
            return (error.reason == .fileMissing ? .fileMissing : .fileUnreadable, nil)
        }
    }

    private func isQueued(_ entry: OutboxEntry) throws(OutboxError) -> Bool {
        try store.outbox.entries().contains(entry)
    }

    /// The note; one that is damaged is none: the file is handed over once more.
    private func note() -> UploadNote? { (try? store.value(UploadNote.self, named: UploadNote.fileName)) ?? nil }

    /// Notes that nothing is under way.
    private func forget(keeping failures: Int) throws(OutboxError) {
        guard let note = note(), !note.attempt.isEmpty || note.failures != failures else { return }
        try store.save(
            UploadNote(name: "", attempt: "", isRenewed: false, failures: failures), named: UploadNote.fileName)
    }

    // MARK: - One after the other

    /// Runs a step when those before it are done: an actor takes others in while one waits for the network.
    private func alone<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        if isAtWork {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isAtWork = true
        }
        defer {
            if waiting.isEmpty { isAtWork = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }
}

extension OutboxSender.Event {
    /// Whether the study says that it has the submission.
    fileprivate var isAcknowledgement: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.mark == .acknowledged && (200...201).contains(answer.status)
    }
}
