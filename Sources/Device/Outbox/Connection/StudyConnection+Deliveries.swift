import Foundation
import Wire

/// The result of reading the deliveries.
public struct DeliveryReport: Codable, Sendable, Hashable {
    /// Submissions that are newly reported as stored.
    public let stored: Int
    /// Submissions that are newly reported as refused.
    public let refused: Int
    /// Submissions that the study lost in a restore and that are queued again.
    public let requeued: Int
    /// Submissions that were removed because the device need not keep them any longer.
    public let removed: Int
}

extension StudyConnection {
    /// Reads the changes of the deliveries since the last call, records them with the sent submissions, and removes
    /// those that need not be kept any longer.
    ///
    /// If the server's epoch has changed, the study was restored from a backup: all deliveries are read from the
    /// beginning, and each kept submission that the server does not list returns to the queue with its old number.
    ///
    /// - Throws: ``OutboxError``: `outbox-busy` if another process reads deliveries, or sends while submissions must
    ///   return to the queue; errors of requests; storage errors; `CancellationError`. Nothing is lost then; the next
    ///   call repeats it.
    @discardableResult
    public func refreshDeliveries(
        in store: DeviceStore, retention: SentRetention = SentRetention()
    ) async throws -> DeliveryReport {
        let outbox = store.outbox
        let lock = try outbox.deliveriesLock()
        defer { withExtendedLifetime(lock) {} }
        // A position of another client is not valid.
        let saved = store.deliveriesPosition()
        let position = saved.flatMap { $0.client == enrolment.clientID ? $0 : nil }
        // Also set if the study cannot be reached now: a study that was restored meanwhile then refuses the old epoch.
        knownEpoch = saved?.epoch(for: enrolment)
        // 1. Submissions sent before the request; the response need not contain later ones.
        let before = try outbox.sentSubmissions()
        let listing = try await readDeliveries(after: position, of: Set(before.map(\.entry.submissionID)))
        let first = first(after: saved, epoch: listing.epoch, last: before.last?.entry.sequence ?? 0)
        // 2. Submissions that the study acknowledged and does not list were lost in a restore. They return to the
        //    queue, older before newer, while no process sends.
        var lost: [SentSubmission] = []
        if listing.isWhole {
            lost = before.filter { listing.statuses[$0.entry.submissionID] == nil && $0.entry.sequence >= first }
        } else if !listing.missing.isEmpty {
            // Without a restore, acknowledged submissions may also be missing. The study lists their numbers.
            lost = outbox.numbered(before) { number in
                number >= first && listing.missing.contains { $0.from <= number && number <= $0.to }
            }
        }
        var requeued = 0
        if !lost.isEmpty {
            let sending = try outbox.sendingLock()
            defer { withExtendedLifetime(sending) {} }
            requeued = try outbox.requeue(lost)
        }
        // 3. The statuses of the others. Without a position, the epoch of earlier statuses is unknown.
        let isRestored = listing.isWhole && (position == nil || position?.epoch != listing.epoch)
        let recorded = try outbox.record(
            listing.statuses, isRestored: isRestored, retention: retention, now: environment.now())
        // 4. The position is saved last: after a stop before that, the deliveries are read again.
        let reached = DeliveriesPosition(
            client: enrolment.clientID, keys: enrolment.keyIDs, cursor: listing.cursor, epoch: listing.epoch,
            first: first)
        if reached != saved { try store.save(reached, named: DeliveriesPosition.fileName) }
        knownEpoch = listing.epoch
        return DeliveryReport(
            stored: recorded.stored, refused: recorded.refused, requeued: requeued, removed: recorded.removed)
    }

    /// Returns the number of the first submission that the list covers.
    private func first(after saved: DeliveriesPosition?, epoch: Int64?, last: Int64) -> Int64 {
        guard let saved else { return 1 }
        // A study that was restored from a backup older than this device's enrolment does not know the device. The
        // device had to enrol again, and its earlier submissions are lost. The study is the same if it can open what
        // was sealed for it then.
        let isRestored = saved.epoch != nil && saved.epoch != epoch && saved.isOfStudy(of: enrolment)
        return saved.client == enrolment.clientID || isRestored ? saved.first : last.clampedSuccessor
    }

    /// Returns all deliveries after the cursor, in the order of their last changes. A submission that changed while the
    /// pages were read occurs once, with its newest state. Throws ``OutboxError``, `CancellationError`.
    public func allDeliveries(
        after cursor: String? = nil
    ) async throws -> (deliveries: [DeliveriesPage.Delivery], next: String?) {
        var newest: [String: Int] = [:]
        var found: [DeliveriesPage.Delivery] = []
        let next = try await pages(after: cursor) { page in
            for delivery in page.deliveries {
                newest[delivery.submission] = found.count
                found.append(delivery)
            }
            return true
        }
        let last = found.enumerated().filter { newest[$0.element.submission] == $0.offset }.map(\.element)
        return (last, next ?? cursor)
    }

    // MARK: - Pages

    /// The statuses and the position from the pages.
    private struct Listing {
        /// The newest status of each requested submission.
        var statuses: [String: String] = [:]
        var cursor = ""
        var epoch: Int64?
        /// The numbers that the study never received.
        var missing: [DeliveriesPage.Missing] = []
        /// Whether the pages start at the beginning.
        var isWhole: Bool
    }

    /// Maximum number of pages. No list of one device's submissions has more.
    private static let maximumPages = 100_000
    /// Maximum length of a cursor in bytes.
    private static let longestCursor = 1_024

    /// Reads the pages after the position, or from the beginning if the server's epoch changed or it rejects the
    /// cursor.
    private func readDeliveries(after position: DeliveriesPosition?, of submissionIDs: Set<String>) async throws
        -> Listing
    {
        var cursor = position?.cursor
        // After a restore during the reading, it starts again; three times in a row is an error.
        for _ in 0..<3 {
            var listing = Listing(isWhole: cursor == nil)
            // From the beginning any epoch is valid, as long as it is the same in all pages.
            var epoch: Int64?? = cursor == nil ? .none : .some(position?.epoch)
            do {
                let end = try await pages(after: cursor) { page in
                    if let known = epoch, known != page.epoch { return false }
                    epoch = .some(page.epoch)
                    listing.missing = page.missing ?? listing.missing
                    for delivery in page.deliveries {
                        let submissionID = delivery.submission.lowercased()
                        if submissionIDs.contains(submissionID) { listing.statuses[submissionID] = delivery.status }
                    }
                    return true
                }
                if let end, let epoch {
                    (listing.cursor, listing.epoch) = (end, epoch)
                    return listing
                }
            } catch let error as OutboxError
                where error.reason == .requestRefused && cursor != nil && [400, 409, 410].contains(error.status)
            {}
            cursor = nil
        }
        throw OutboxError(.serverUnavailable, "The server's list of deliveries keeps changing: try again later.")
    }

    /// Reads page after page until one has no new deliveries.
    /// - Parameter take: handles a page; returns whether to continue.
    /// - Returns: the last cursor; `nil` if `take` stopped.
    private func pages(
        after start: String?, _ take: (DeliveriesPage) throws -> Bool
    ) async throws -> String? {
        var cursor = start
        for _ in 0..<Self.maximumPages {
            try Task.checkCancellation()
            let page = try await deliveries(after: cursor)
            guard page.next.utf8.count <= Self.longestCursor else { break }
            guard try take(page) else { return nil }
            if page.deliveries.isEmpty || page.next == cursor { return page.next }
            cursor = page.next
        }
        throw OutboxError(.answerInvalid, "The server's list of deliveries cannot be read.")
    }
}

extension Int64 {
    /// The next number; the maximum is its own successor.
    fileprivate var clampedSuccessor: Int64 { self == .max ? self : self + 1 }
}
