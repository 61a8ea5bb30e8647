import Foundation
import Wire

/// The result of a round of sending.
public struct SendReport: Codable, Sendable, Hashable {
    /// The reason that the round ended.
    public enum Ending: String, Codable, Sendable, Hashable {
        /// The queue is empty.
        case emptied
        /// The first file is deferred; `reason` is the code.
        case held
        /// The Contract was refused; nothing is sent before a new one.
        case stopped
    }

    /// Submissions the study acknowledged in this round.
    public let sent: Int
    /// Submissions that were refused in this round.
    public let refused: Int
    /// Submissions left in the queue.
    public let remaining: Int
    /// The end of the round.
    public let ending: Ending
    /// The stable code for ``Ending/held`` and ``Ending/stopped``: `connection-failed`, `certificate-untrusted`,
    /// `server-unavailable`, `token-refused`, `answer-unmarked` (a response that is not known to be the study's),
    /// `consent-refused`, `study-restored` (read the deliveries, then send), or the study's own code if it does not
    /// accept the first file now.
    public let reason: String?
}

extension StudyConnection {
    /// Sends the queued submissions in order until the queue is empty, its first file must wait longer than the
    /// patience allows, or the Contract is refused. Files leave the queue only when the study itself acknowledges them
    /// (``OutboxDirectory/sentFolder``) or refuses them (``OutboxDirectory/refusedFolder``).
    ///
    /// - Parameters:
    ///   - patience: the number of attempts and the delays between them.
    ///   - timeLimit: seconds after which no further delay begins; `nil` for none.
    /// - Throws: ``OutboxError``: `outbox-busy` if another process is sending, storage errors; `CancellationError`.
    public func sendAll(
        from outbox: OutboxDirectory, patience: OutboxSender.Patience = .init(), timeLimit: Double? = nil
    ) async throws -> SendReport {
        let lock = try outbox.sendingLock()
        defer { withExtendedLifetime(lock) {} }
        let deadline = timeLimit.map { environment.now().addingTimeInterval($0) }
        var sender = OutboxSender(patience: patience)
        var envelope: QueuedEnvelope?
        var effect: OutboxSender.Effect? = .list
        while let current = effect {
            if case .finish(let outcome) = current { return try report(sender, outcome: outcome, outbox: outbox) }
            let event = try await perform(current, outbox: outbox, envelope: &envelope, deadline: deadline)
            effect = sender.handle(event)
        }
        return try report(sender, outcome: .held(code: "server-unavailable"), outbox: outbox)
    }

    /// Performs one effect and returns the resulting event.
    private func perform(
        _ effect: OutboxSender.Effect, outbox: OutboxDirectory, envelope: inout QueuedEnvelope?, deadline: Date?
    ) async throws -> OutboxSender.Event {
        try Task.checkCancellation()
        switch effect {
        case .list, .finish: break
        case .read(let entry):
            do throws(OutboxError) {
                envelope = try outbox.readEnvelope(entry)
                return .fileRead
            } catch {
                return error.reason == .fileMissing ? .fileMissing : .fileUnreadable
            }
        case .obtainToken(let renewing): return try await tokenEvent(renewing: renewing)
        case .post(let entry): return try await post(envelope, kind: entry.kind)
        case .moveToSent(let entry): try outbox.moveToSent(entry, listedAs: envelope?.header.listedSubmissionID)
        case .moveToRefused(let entry, let status, let code):
            try outbox.moveToRefused(entry, because: Refusal(status: status, code: code, at: environment.now()))
        case .wait(let atLeast, let spread):
            let delay = atLeast + spread * environment.random()
            if let deadline, environment.now().addingTimeInterval(delay) > deadline { return .timeOver }
            try await environment.sleep(delay)
        }
        let (entries, consent) = try outbox.snapshot()
        return .queue(entries, consent)
    }

    /// Requests a token and returns the resulting event.
    func tokenEvent(renewing: Bool) async throws -> OutboxSender.Event {
        do {
            _ = try await accessToken(renewing: renewing)
            return .tokenObtained
        } catch let error as OutboxError {
            switch error.reason {
            case .tokenRefused: return .tokenRefused
            case .connectionFailed, .certificateUntrusted: return .networkFailed
            default: return .tokenFailed(retryAfter: error.retryAfter)
            }
        }
    }

    private func post(_ envelope: QueuedEnvelope?, kind: String) async throws -> OutboxSender.Event {
        // The sender posts only files that it has read.
        guard let envelope else { return .networkFailed }
        let header = envelope.header
        do {
            let response = try await submit(envelope.bytes, header, kind: kind)
            return .answered(
                SubmissionAnswer(response, to: header.listedSubmissionID, sentAs: header.format, now: environment.now())
            )
        } catch let error as OutboxError {
            // The token may expire between two effects; its failure is then a failure of this attempt.
            return error.reason == .tokenRefused
                ? .answered(SubmissionAnswer(status: 401, mark: .problem(code: error.code))) : .networkFailed
        }
    }

    private func report(
        _ sender: OutboxSender, outcome: OutboxSender.Outcome, outbox: OutboxDirectory
    ) throws(OutboxError) -> SendReport {
        let remaining = try outbox.entries().count
        let (ending, reason): (SendReport.Ending, String?) =
            switch outcome {
            case .emptied: (.emptied, nil)
            case .held(let code):
                (.held, code == "connection-failed" ? failure?.code ?? code : code)
            case .stopped: (.stopped, "consent-refused")
            }
        return SendReport(
            sent: sender.sent, refused: sender.refused, remaining: remaining, ending: ending, reason: reason)
    }
}
