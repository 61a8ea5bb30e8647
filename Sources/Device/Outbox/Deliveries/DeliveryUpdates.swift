import Wire

/// A sequence of a device's deliveries, as they happen (``StudyConnection/deliveries(of:every:until:)``).
///
/// Each submission that the device still keeps comes once as it stands, the oldest first, and again whenever that changes.
/// The next one is looked for when it is asked for: nothing is asked of the study while nobody iterates, and no more is
/// held in memory than a state for each file.
public struct DeliveryUpdates: AsyncSequence, Sendable {
    /// A delivery.
    public typealias Element = SubmissionDelivery

    /// When the sequence ends.
    public enum Ending: Sendable, Hashable {
        /// When every submission came once: a list of how things stand.
        case listed
        /// When nothing waits or is held any more.
        case settled
        /// Only when the task is cancelled.
        case never
    }

    let connection: StudyConnection
    let store: DeviceStore
    let interval: Double
    let ending: Ending

    /// An iteration from the beginning.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension DeliveryUpdates {
    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let updates: DeliveryUpdates
        private var listing = DeliveryListing()
        /// The deliveries that are to be given out, the first last.
        private var pending: [SubmissionDelivery] = []
        /// How long to wait before the study is asked again; nil before it was asked.
        private var delay: Double?
        private var failures = 0
        /// Whether the study has answered once.
        private var isHeard = false
        private var isFinished = false

        init(_ updates: DeliveryUpdates) { self.updates = updates }

        /// The next delivery; nil at the end.
        ///
        /// - Throws: `CancellationError`; ``OutboxError`` where asking again would not help, such as `token-refused`. A
        ///   study that cannot be reached, or cannot answer now, is asked again later.
        public mutating func next() async throws -> SubmissionDelivery? {
            while true {
                if let delivery = pending.popLast() { return delivery }
                if isFinished { return nil }
                do {
                    try await look()
                } catch {
                    isFinished = true
                    throw error
                }
            }
        }

        /// Waits until the study may be asked, asks it, and finds what changed.
        private mutating func look() async throws {
            try Task.checkCancellation()
            if let delay {
                switch updates.ending {
                case .listed: isFinished = isHeard
                case .settled: isFinished = listing.isSettled
                case .never: break
                }
                if isFinished { return }
                try await updates.connection.environment.sleep(delay)
            }
            try await ask()
            pending = try listing.changes(in: updates.store.outbox).reversed()
        }

        /// Asks what changed. What passes by itself makes the next question later.
        private mutating func ask() async throws {
            do {
                let asked = try await listing.ask(updates.connection, about: updates.store.outbox)
                (failures, isHeard) = (0, true)
                delay = Swift.max(updates.interval, asked ?? 0)
            } catch let error as OutboxError
                where [.connectionFailed, .certificateUntrusted, .serverUnavailable].contains(error.reason)
            {
                // Twice as long after each failure, an hour at most: a phone may be without network for days.
                failures += 1
                var wait = updates.interval
                for _ in 1..<Swift.max(failures, 1) where wait < 3_600 { wait *= 2 }
                delay = Swift.max(updates.interval, Swift.min(wait, 3_600), error.retryAfter ?? 0)
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
    /// Nothing is noted in the store: that is what ``learnDeliveries(in:retention:)`` does, and both may go on at once.
    ///
    /// - Parameters:
    ///   - interval: seconds between questions, 1 to a day. Where the study asks for a longer wait (`Retry-After`), it is
    ///     as long; where it fails, the waits grow to an hour.
    ///   - ending: when the sequence ends.
    public nonisolated func deliveries(
        of store: DeviceStore, every interval: Double = 60, until ending: DeliveryUpdates.Ending = .settled
    ) -> DeliveryUpdates {
        DeliveryUpdates(
            connection: self, store: store, interval: Swift.max(1, ServerDelay.clamped(interval)), ending: ending)
    }
}
