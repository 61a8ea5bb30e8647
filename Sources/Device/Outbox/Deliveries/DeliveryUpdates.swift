import Core
import Wire

/// A sequence of a device's deliveries, as they happen (``StudyConnection/deliveries(of:every:until:)``).
///
/// Each submission on the device is returned once in its current state, the oldest first, and again whenever the state
/// changes. The next one is determined on demand: there are no requests without an iteration, and memory holds only one
/// state for each file.
public struct DeliveryUpdates: AsyncSequence, Sendable {
    /// One delivery.
    public typealias Element = SubmissionDelivery

    /// The condition that ends the sequence.
    public enum Ending: Sendable, Hashable {
        /// Every submission was returned once: a list of the current states.
        case listed
        /// No submission is waiting or held any more.
        case settled
        /// The task is cancelled.
        case never
    }

    let connection: StudyConnection
    let store: DeviceStore
    let interval: Double
    let ending: Ending

    /// Creates an iteration from the beginning.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension DeliveryUpdates {
    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let updates: DeliveryUpdates
        private var listing = DeliveryListing()
        /// The deliveries to be returned, in reverse order.
        private var pending: [SubmissionDelivery] = []
        /// The delay in seconds before the next request; nil before the first one.
        private var delay: Double?
        private var failures = 0
        /// Whether the study has answered once.
        private var hasAnswered = false
        private var isFinished = false

        init(_ updates: DeliveryUpdates) { self.updates = updates }

        /// Returns the next delivery; nil at the end.
        ///
        /// - Throws: `CancellationError`; ``OutboxError`` if a retry would not help, such as `token-refused`. A study
        ///   that cannot be reached, or cannot answer now, is asked again later.
        public mutating func next() async throws -> SubmissionDelivery? {
            while true {
                if let delivery = pending.popLast() { return delivery }
                if isFinished { return nil }
                do {
                    try await poll()
                } catch {
                    isFinished = true
                    throw error
                }
            }
        }

        /// Waits until the next request is due, sends it, and determines the changes.
        private mutating func poll() async throws {
            try Task.checkCancellation()
            if let delay {
                switch updates.ending {
                case .listed: isFinished = hasAnswered
                case .settled: isFinished = listing.isSettled
                case .never: break
                }
                if isFinished { return }
                try await updates.connection.environment.sleep(delay)
            }
            try await ask()
            pending = try listing.changes(in: updates.store.outbox).reversed()
        }

        /// Reads the changes. A temporary failure delays the next request.
        private mutating func ask() async throws {
            do {
                let asked = try await listing.ask(updates.connection, about: updates.store.outbox)
                (failures, hasAnswered) = (0, true)
                delay = Swift.max(updates.interval, asked ?? 0)
            } catch let error as OutboxError
                where [.connectionFailed, .certificateUntrusted, .serverUnavailable].contains(error.reason)
            {
                // The delay doubles after each failure, up to an hour: a phone may be without network for days.
                failures += 1
                let wait = ExponentialBackoff(first: updates.interval, longest: 3_600).delay(afterFailures: failures)
                delay = Swift.max(updates.interval, wait, error.retryAfter ?? 0)
            }
        }
    }
}

extension StudyConnection {
    /// Returns the deliveries of the store's submissions, as they happen.
    ///
    /// ```swift
    /// for try await delivery in connection.deliveries(of: store) {
    ///     switch delivery.state {
    ///     case .stored: print(delivery.entry.kind, "is stored")
    ///     case .refused(let code): print(delivery.entry.kind, "is refused:", code)
    ///     case .held, .waiting: break
    ///     }
    /// }
    /// ```
    ///
    /// This records nothing in the store; ``refreshDeliveries(in:retention:)`` does. Both may run at the same time.
    ///
    /// - Parameters:
    ///   - interval: seconds between requests, 1 to a day. A longer delay that the study asks for (`Retry-After`) has
    ///     priority; after failures, the delays grow up to an hour.
    ///   - ending: the condition that ends the sequence.
    public nonisolated func deliveries(
        of store: DeviceStore, every interval: Double = 60, until ending: DeliveryUpdates.Ending = .settled
    ) -> DeliveryUpdates {
        DeliveryUpdates(
            connection: self, store: store, interval: Swift.max(1, ServerDelay.clamped(interval)), ending: ending)
    }
}
