import Core
import Wire

/// A sequence of a device's deliveries, as they happen (``StudyConnection/deliveries(of:every:until:)``).
///
/// The outcomes that the device has on record are returned at once, before the first request, so that an app shows them
/// without network. Then each other submission on the device is returned once in its current state, the oldest first, and
/// each again whenever its state changes. The next one is determined on demand: there are no requests without an
/// iteration, and memory holds only one state for each file. ``batches`` has all changes of one time together.
public struct DeliveryUpdates: AsyncSequence, Sendable {
    /// One delivery.
    public typealias Element = SubmissionDelivery

    /// The condition that ends the sequence.
    public enum Ending: Sendable, Hashable {
        /// Every submission was returned once: a list of the current states, after the study has answered.
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
        /// Whether the recorded outcomes were read.
        private var hasBegun = false
        private var isFinished = false

        init(_ updates: DeliveryUpdates) { self.updates = updates }

        /// Returns the next delivery; nil at the end.
        ///
        /// - Throws: `CancellationError`; ``OutboxError`` if a retry would not help, such as `token-refused`. A study
        ///   that cannot be reached, or cannot answer now, is asked again later.
        public mutating func next() async throws -> SubmissionDelivery? {
            try await fill()
            return pending.popLast()
        }

        /// Returns the deliveries that are known now and were not returned, up to the limit; nil at the end.
        mutating func nextBatch(limit: Int) async throws -> [SubmissionDelivery]? {
            try await fill()
            guard !pending.isEmpty else { return nil }
            let batch = Array(pending.suffix(limit).reversed())
            pending.removeLast(batch.count)
            return batch
        }

        /// Waits until there are deliveries to return, or until the end.
        private mutating func fill() async throws {
            while pending.isEmpty, !isFinished {
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
            if !hasBegun {
                hasBegun = true
                // A list of the current states needs the study's answer; the others begin with the recorded outcomes.
                if updates.ending != .listed {
                    pending = try listing.recordedOutcomes(in: updates.store.outbox).reversed()
                    return
                }
            }
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

extension DeliveryUpdates {
    /// The same deliveries in lists: each has all that are known at one time and were not returned before.
    ///
    /// ```swift
    /// for try await changes in connection.deliveries(of: store).batches {
    ///     for delivery in changes { states[delivery.entry] = delivery.state }
    /// }
    /// ```
    public var batches: Batches { Batches(updates: self) }

    /// A sequence of lists of deliveries, none of which is empty.
    public struct Batches: AsyncSequence, Sendable {
        /// Deliveries, the oldest first.
        public typealias Element = [SubmissionDelivery]

        /// Maximum number of deliveries in one list. More are returned in several lists without a delay.
        public static let longest = 1_000

        let updates: DeliveryUpdates
        var limit = Batches.longest

        /// Creates an iteration from the beginning.
        public func makeAsyncIterator() -> Iterator {
            Iterator(deliveries: updates.makeAsyncIterator(), limit: limit)
        }

        /// One iteration.
        public struct Iterator: AsyncIteratorProtocol {
            var deliveries: DeliveryUpdates.Iterator
            let limit: Int

            /// Returns the next list; nil at the end.
            ///
            /// - Throws: as ``DeliveryUpdates/Iterator/next()``.
            public mutating func next() async throws -> [SubmissionDelivery]? {
                try await deliveries.nextBatch(limit: limit)
            }
        }
    }
}

extension StudyConnection {
    /// Returns the deliveries of the store's submissions, as they happen, beginning with the outcomes that the device has
    /// on record.
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
