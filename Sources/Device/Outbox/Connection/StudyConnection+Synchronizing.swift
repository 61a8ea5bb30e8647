import Core
import Foundation
import Wire

/// The result of reading the deliveries and sending.
public struct SynchronizationReport: Codable, Sendable, Hashable {
    /// The result of reading the deliveries of earlier submissions; `nil` on failure.
    public let deliveries: DeliveryReport?
    /// The result of sending.
    public let sending: SendReport
    /// The result of the renewal of the study's keys.
    public let keys: KeyRenewal

    private enum CodingKeys: String, CodingKey {
        case deliveries = "learned"
        case sending, keys
    }
}

/// The result of the renewal of the study's keys in a round.
public enum KeyRenewal: Codable, Sendable, Hashable {
    /// The device has the current keys.
    case current
    /// The device has new keys: later submissions are sealed to them.
    case renewed
    /// The renewal was due and failed with this stable code, or the keys are not the study's. The device continues with
    /// the present keys.
    case failed(code: String)
}

extension StudyConnection {
    /// Reads the deliveries of earlier submissions, then sends the queue (``sendAll(from:patience:timeLimit:)``), then
    /// fetches the study's keys again if that is due (``renewKeysWhereDue(in:)``).
    ///
    /// The deliveries are read first: submissions that a restored server lost are older than the queued ones and must
    /// arrive before them. Sending continues even if this fails, unless the server reports that it was restored: then
    /// the deliveries are read again.
    ///
    /// - Throws: errors of sending.
    public func synchronize(
        _ store: DeviceStore, patience: OutboxSender.Patience = .init(), timeLimit: Double? = nil,
        retention: SentRetention = SentRetention()
    ) async throws -> SynchronizationReport {
        let end = timeLimit.map { environment.now().addingTimeInterval($0) }
        var deliveries = try await refresh(in: store, retention)
        var sending = try await sendAll(from: store.outbox, patience: patience, timeLimit: timeLimit)
        // The study was restored since the deliveries were read. After two repetitions, a later call continues.
        for _ in 0..<2 where sending.isRestored {
            guard let again = try await refresh(in: store, retention) else { break }
            deliveries = deliveries.map { $0 + again } ?? again
            sending =
                sending
                + (try await sendAll(
                    from: store.outbox, patience: patience,
                    timeLimit: end.map { max(0, $0.timeIntervalSince(environment.now())) }))
        }
        return SynchronizationReport(
            deliveries: deliveries, sending: sending, keys: try await renewKeysWhereDue(in: store))
    }

    /// Returns the result of reading the deliveries; nil on failure. A persistent failure occurs in sending too, and is
    /// reported there.
    private func refresh(in store: DeviceStore, _ retention: SentRetention) async throws -> DeliveryReport? {
        do {
            return try await refreshDeliveries(in: store, retention: retention)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    /// Fetches the study's keys again if its server reported others or they are due, and saves them in the store.
    /// Queued submissions are not sealed again: the study opens them with its older keys.
    ///
    /// - Throws: `CancellationError` only; other errors are part of the result.
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
    /// Whether the study must first get the submissions that it lost in a restore.
    fileprivate var isRestored: Bool { ending == .held && reason == StudyPath.restoredCode }

    fileprivate static func + (first: Self, second: Self) -> Self {
        Self(
            sent: first.sent + second.sent, refused: first.refused + second.refused, remaining: second.remaining,
            ending: second.ending, reason: second.reason)
    }
}

extension DeliveryReport {
    fileprivate static func + (first: Self, second: Self) -> Self {
        Self(
            stored: first.stored + second.stored, refused: first.refused + second.refused,
            requeued: first.requeued + second.requeued, removed: first.removed + second.removed)
    }
}
