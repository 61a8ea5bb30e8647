/// The result of a round of learning and sending.
public struct SynchronizationReport: Codable, Sendable, Hashable {
    /// The result of learning about earlier submissions; `nil` if the study did not say.
    public let learned: LearningReport?
    /// The result of sending.
    public let sending: SendReport
}

extension StudyConnection {
    /// Learns what became of earlier submissions, then sends what is queued (``sendAll(from:patience:timeLimit:)``).
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
        return SynchronizationReport(
            learned: learned, sending: try await sendAll(from: store.outbox, patience: patience, timeLimit: timeLimit))
    }
}
