import Core
import Foundation

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
    /// fails keeps nothing from being sent.
    ///
    /// - Throws: what sending throws.
    public func synchronize(
        _ store: DeviceStore, patience: OutboxSender.Patience = .init(), timeLimit: Double? = nil,
        retention: SentRetention = SentRetention()
    ) async throws -> SynchronizationReport {
        var learned: LearningReport?
        do {
            learned = try await learnDeliveries(in: store, retention: retention)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Sending meets the same trouble, if it is one, and says so.
        }
        let sending = try await sendAll(from: store.outbox, patience: patience, timeLimit: timeLimit)
        return SynchronizationReport(learned: learned, sending: sending, keys: try await renewKeysWhereDue(in: store))
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
