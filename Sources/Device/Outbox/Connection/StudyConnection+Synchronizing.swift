import Core
import Foundation
import Wire

/// The result of a round of learning and sending.
public struct SynchronizationReport: Codable, Sendable, Hashable {
    /// The result of learning about earlier submissions; `nil` if the study did not say.
    public let learned: LearningReport?
    /// The result of sending.
    public let sending: SendReport
    /// What became of the study's keys.
    public let keys: KeyRenewal
}

/// What became of the study's keys in a round.
public enum KeyRenewal: Codable, Sendable, Hashable {
    /// They are those that the device has.
    case current
    /// The device has others now: what is queued from here on is sealed to them.
    case renewed
    /// They were to be fetched and could not be, or were not the study's: the error's stable code. The device goes on with
    /// those that it has.
    case failed(code: String)
}

extension StudyConnection {
    /// Learns what became of earlier submissions, then sends what is queued (``sendAll(from:patience:timeLimit:)``), then
    /// fetches the study's keys again where that is due (``renewKeysWhereDue(in:)``).
    ///
    /// Learning goes first: what a restored server lost is older than what waits, and must arrive before it. That it
    /// fails keeps nothing from being sent, unless the server says that it was restored: then it is asked once more.
    ///
    /// - Throws: what sending throws.
    public func synchronize(
        _ store: DeviceStore, patience: OutboxSender.Patience = .init(), timeLimit: Double? = nil,
        retention: SentRetention = SentRetention()
    ) async throws -> SynchronizationReport {
        let end = timeLimit.map { environment.now().addingTimeInterval($0) }
        var learned = try await learn(in: store, retention)
        var sending = try await sendAll(from: store.outbox, patience: patience, timeLimit: timeLimit)
        // Restored since it was asked; one that is restored again and again is asked another time.
        for _ in 0..<2 where sending.isRestored {
            guard let again = try await learn(in: store, retention) else { break }
            learned = learned.map { $0 + again } ?? again
            sending =
                sending
                + (try await sendAll(
                    from: store.outbox, patience: patience,
                    timeLimit: end.map { max(0, $0.timeIntervalSince(environment.now())) }))
        }
        return SynchronizationReport(learned: learned, sending: sending, keys: try await renewKeysWhereDue(in: store))
    }

    /// The result of learning; nil where it failed: sending meets the same trouble, if it is one, and says so.
    private func learn(in store: DeviceStore, _ retention: SentRetention) async throws -> LearningReport? {
        do {
            return try await learnDeliveries(in: store, retention: retention)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Fetches the study's keys again where its server told of others than the device has, or a day has passed, and keeps
    /// them in the store. What waits in the queue stays sealed as it is: the study opens it with its older keys.
    ///
    /// - Throws: `CancellationError` alone; whatever else keeps the keys from being renewed is told.
    @discardableResult
    public func renewKeysWhereDue(in store: DeviceStore) async throws -> KeyRenewal {
        // Another process may have fetched them meanwhile.
        guard areKeysDue, (try? store.enrolment().jwks) == enrolment.jwks else { return .current }
        do {
            let renewed = try await refreshedEnrolment()
            try store.save(renewed)
            return renewed.jwks == enrolment.jwks ? .current : .renewed
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failed(code: (error as? any CodedError)?.code ?? "failed")
        }
    }
}

extension SendReport {
    /// Whether the study waits for what it lost in a restore.
    fileprivate var isRestored: Bool { ending == .held && reason == StudyPath.restoredCode }

    fileprivate static func + (first: Self, second: Self) -> Self {
        Self(
            sent: first.sent + second.sent, refused: first.refused + second.refused, remaining: second.remaining,
            ending: second.ending, reason: second.reason)
    }
}

extension LearningReport {
    fileprivate static func + (first: Self, second: Self) -> Self {
        Self(
            stored: first.stored + second.stored, refused: first.refused + second.refused,
            requeued: first.requeued + second.requeued, removed: first.removed + second.removed)
    }
}
