import CarePlans
import Core
import Foundation

/// News of the server.
extension CarePlanStore {
    /// The first delay after an answer without news, and the maximum, in seconds.
    private static let pause = ExponentialBackoff(first: 1.0, longest: 60)

    /// Waits until the server has versions that the copy lacks, up to a number of seconds. It changes nothing: call
    /// ``sync()`` afterwards.
    ///
    /// - Parameter seconds: up to 30.
    /// - Returns: whether there are such versions.
    /// - Throws: ``CareServerError``, ``CareStoreError`` `care-answer-invalid`, `CancellationError`.
    public func awaitNews(seconds: Int = 30) async throws -> Bool {
        let known = copy.pullKnowledge
        let answer = try await server.pull(since: known, page: nil, for: .phone, wait: min(max(seconds, 0), 30))
        return answer.next != nil
            || answer.revisions.contains { $0.entities.contains { copy.graph.versions[$0.uuid] == nil } }
    }

    /// Synchronises now, and whenever the server has news, until the task is cancelled. Failures are retried with increasing
    /// delays. After a change by the user, call ``sync()``: it does not wait for this call.
    ///
    /// ```swift
    /// let following = Task { try await store.follow() }
    /// ```
    /// - Parameters:
    ///   - seconds: how long one request may wait for news, up to 30.
    ///   - sleep: waits for a number of seconds.
    /// - Throws: `CancellationError`; storage errors.
    public func follow(
        waiting seconds: Int = 30,
        sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) async throws {
        var pause = Self.pause
        while true {
            try Task.checkCancellation()
            do {
                if let nextAttempt, nextAttempt > now() {
                    try await sleep(nextAttempt.timeIntervalSince(now()))
                }
                try await sync()
                let start = now()
                let isNews = try await awaitNews(seconds: seconds)
                if isNews || now().timeIntervalSince(start) >= 1 {
                    pause.reset()
                } else {
                    // The server answered at once without news, as it does when too many requests wait.
                    try await sleep(pause.nextDelay())
                }
            } catch is CareServerError {
                try await sleep(max(nextAttempt?.timeIntervalSince(now()) ?? 0, pause.nextDelay()))
            } catch let error as CareStoreError where error.reason != .storeDamaged {
                try await sleep(pause.nextDelay())
            }
        }
    }
}
