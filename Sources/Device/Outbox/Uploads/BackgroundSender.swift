import Foundation
import Wire

/// Sends a store's queue by uploads of the system, one after the other, for phones whose app usually is not running.
///
/// ```swift
/// let sender = BackgroundSender(store: store, connection: connection, uploads: uploads)
/// try await sender.handOver()                                // after queueing, and at each start
/// for await answer in uploads.answers { try await sender.take(answer) }
/// ```
///
/// The rules are those of ``OutboxSender``, as for ``StudyConnection/sendAll(from:patience:timeLimit:)``, but no task
/// waits in the process: the next upload is handed to the system, and its answer continues the sending, in whichever
/// process it arrives. Only the study's own response settles a submission:
///
/// - Its acknowledgement is valid at any time, and from any upload.
/// - Any other response is valid only from the current upload; those of earlier attempts are ignored.
/// - Answers to submissions that are not queued any more are ignored.
/// - An upload that the system lost is handed over again by the next ``handOver()``; the submission's id makes it
///   harmless.
public actor BackgroundSender {
    /// The state of the queue after a step.
    public enum State: Sendable, Hashable {
        /// The queue is empty.
        case emptied
        /// The system has the first file; its answer continues the sending.
        case underWay(OutboxEntry)
        /// No upload is in progress, for the reason with this stable code (``SendReport/reason``): try again later.
        case held(code: String)
        /// The Contract was refused: nothing is sent before a new one.
        case stopped
    }

    private let store: DeviceStore
    private let connection: StudyConnection
    private let uploads: any UploadTransport
    private let patience: OutboxSender.Patience
    private var isAtWork = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a sender without handing anything over.
    ///
    /// - Parameter patience: the delays after failures. The number of attempts is not limited, because the system
    ///   itself waits for a network.
    public init(
        store: DeviceStore, connection: StudyConnection, uploads: any UploadTransport,
        patience: OutboxSender.Patience = .init(attempts: .max, firstDelay: 30, longestDelay: 3_600)
    ) {
        self.store = store
        self.connection = connection
        self.uploads = uploads
        self.patience = patience
    }

    /// Hands over the next upload, unless the system has one.
    ///
    /// - Throws: ``OutboxError``: `outbox-busy` if another process is sending, storage errors; `CancellationError`.
    @discardableResult
    public func handOver() async throws -> State {
        let state = try await begin()
        // Submissions that a restored study lost return to the queue first. A second restore is handled by a later
        // call.
        guard state == .held(code: StudyPath.restoredCode), try await hasReadDeliveries() else { return state }
        return try await begin()
    }

    /// Reads the deliveries to find lost submissions. A failure is no error: the next hand-over repeats it.
    private func hasReadDeliveries() async throws -> Bool {
        do {
            try await connection.refreshDeliveries(in: store)
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }

    private func begin() async throws -> State {
        try await alone {
            let record = self.record()
            if let record, let entry = OutboxEntry(name: record.name), try self.isQueued(entry),
                await self.uploads.tagsUnderWay().contains(record.tag)
            {
                return .underWay(entry)
            }
            return try await self.proceed(
                OutboxSender(patience: self.patience, failures: record?.failures ?? 0), .list, isAnswered: false)
        }
    }

    /// Handles the result of an upload, settles its submission, and hands over the next one.
    ///
    /// - Throws: as ``handOver()``. The answer is lost then; the next ``handOver()`` sends the file again, and the
    ///   study recognizes it by its id.
    @discardableResult
    public func take(_ answer: UploadAnswer) async throws -> State {
        let state = try await alone { () async throws -> State? in
            guard let entry = UploadRecord.entry(in: answer.tag), try self.isQueued(entry) else { return nil }
            let event = self.event(answer, entry)
            guard let record = self.record(), record.tag == answer.tag else {
                if event.isAcknowledgement { try self.settle(entry) }
                return nil
            }
            var sender = OutboxSender(
                awaiting: entry, isRenewed: record.isRenewed, patience: self.patience, failures: record.failures)
            guard let effect = sender.handle(event) else { return nil }
            return try await self.proceed(sender, effect, isAnswered: true)
        }
        if let state, state != .held(code: StudyPath.restoredCode) { return state }
        if state != nil, try await !hasReadDeliveries() { return .held(code: StudyPath.restoredCode) }
        return try await handOver()
    }

    /// Hands over the next upload and handles answers as they arrive, until the task is cancelled or the answers end.
    /// While another process is sending, answers are ignored: the next sender sends their submissions again.
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

    /// Performs the effects of the rules until an upload is handed over or nothing is left to do.
    private func proceed(
        _ sender: OutboxSender, _ first: OutboxSender.Effect, isAnswered: Bool
    ) async throws -> State {
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
            case .moveToRefused(let entry, let status, let code):
                try outbox.moveToRefused(entry, because: Refusal(status: status, code: code, at: environment.now()))
            case .wait(let atLeast, let spread):
                // Only an answer schedules the next upload after a delay; a local failure would occur again.
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

    /// Hands a file over. The record is saved first: an answer without its record would be ignored as one of an
    /// earlier attempt.
    /// - Returns: whether the system accepted it.
    private func begin(
        _ entry: OutboxEntry, isRenewed: Bool, failures: Int, notBefore: Date?
    ) async throws -> Bool {
        guard let header = readHeader(of: entry).header else { return false }
        let record = UploadRecord(
            name: entry.name, attempt: UUID().uuidString, isRenewed: isRenewed, failures: failures)
        try store.save(record, named: UploadRecord.fileName)
        do {
            let request = try await connection.submissionRequest(
                header, kind: entry.kind, epoch: store.deliveriesPosition()?.epoch(for: connection.enrolment))
            try await uploads.begin(
                QueuedUpload(
                    tag: record.tag, request: request,
                    file: store.outbox.folder.appendingPathComponent(entry.name), notBefore: notBefore))
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }

    /// Records that the study has a submission.
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

    /// Returns the record; nil if it is damaged: the file is then handed over once more.
    private func record() -> UploadRecord? {
        (try? store.value(UploadRecord.self, named: UploadRecord.fileName)) ?? nil
    }

    /// Records that no upload is in progress.
    private func forget(keeping failures: Int) throws(OutboxError) {
        guard let record = record(), !record.attempt.isEmpty || record.failures != failures else { return }
        try store.save(
            UploadRecord(name: "", attempt: "", isRenewed: false, failures: failures), named: UploadRecord.fileName)
    }

    // MARK: - Serial steps

    /// Runs a step after the previous ones have ended: an actor is reentrant while a step waits for the network.
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
    /// Whether the event is the study's acknowledgement of the submission.
    fileprivate var isAcknowledgement: Bool {
        guard case .answered(let answer) = self else { return false }
        return answer.mark == .acknowledged && (200...201).contains(answer.status)
    }
}
