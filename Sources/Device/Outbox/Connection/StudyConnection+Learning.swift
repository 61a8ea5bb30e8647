import Foundation
import Wire

/// The result of a round of learning.
public struct LearningReport: Codable, Sendable, Hashable {
    /// Submissions that are stored, as was not known before.
    public let stored: Int
    /// Submissions that are refused, as was not known before.
    public let refused: Int
    /// Submissions that the study lost in a restore and that wait in the queue again.
    public let requeued: Int
    /// Submissions that need not be kept on the device any longer.
    public let removed: Int
}

extension StudyConnection {
    /// Asks what became of the submissions since it last asked, notes it at the sent ones, and removes those that need
    /// not be kept any longer.
    ///
    /// Where the server's epoch is another than before, the study was restored from a backup: all is asked from the
    /// beginning, and each kept submission that the server does not list goes back to the queue, in its old place.
    ///
    /// - Throws: ``OutboxError``: `outbox-busy` if another process is learning, or is sending when something must go
    ///   back; what a request throws; storage errors; `CancellationError`. Nothing is lost then; the next round does it.
    @discardableResult
    public func learnDeliveries(
        in store: DeviceStore, retention: SentRetention = SentRetention()
    ) async throws -> LearningReport {
        let outbox = store.outbox
        let lock = try outbox.learningLock()
        defer { withExtendedLifetime(lock) {} }
        // Another client's position is none.
        let saved = store.deliveriesPosition()
        let position = saved.flatMap { $0.client == enrolment.clientID ? $0 : nil }
        // Also where the study cannot be asked now: what is sent then is refused if it was restored meanwhile.
        learnedEpoch = saved?.epoch(for: enrolment)
        // 1. What was sent before the question: of what is sent meanwhile the answer need not know.
        let before = try outbox.sentSubmissions()
        let listing = try await readDeliveries(after: position, of: Set(before.map(\.entry.submissionID)))
        let first = first(after: saved, epoch: listing.epoch, last: before.last?.entry.sequence ?? 0)
        // 2. What the study acknowledged and does not list was lost in a restore. It goes back, while nobody sends:
        //    older before newer.
        var lost: [SentSubmission] = []
        if listing.isWhole {
            lost = before.filter { listing.told[$0.entry.submissionID] == nil && $0.entry.sequence >= first }
        } else if !listing.missing.isEmpty {
            // Without a restore too the study may lack what somebody acknowledged for it. It names the numbers.
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
        // 3. What it said of the others. Without a position nobody knows in which epoch an earlier word was heard.
        let isRestored = listing.isWhole && (position == nil || position?.epoch != listing.epoch)
        let noted = try outbox.note(
            listing.told, isRestored: isRestored, retention: retention, now: environment.now())
        // 4. Only then the position: a stop before it asks once more.
        let reached = DeliveriesPosition(
            client: enrolment.clientID, keys: enrolment.keyIDs, cursor: listing.cursor, epoch: listing.epoch,
            first: first)
        if reached != saved { try store.save(reached, named: DeliveriesPosition.fileName) }
        learnedEpoch = listing.epoch
        return LearningReport(
            stored: noted.stored, refused: noted.refused, requeued: requeued, removed: noted.removed)
    }

    /// The number of the first submission for which the list speaks.
    private func first(after saved: DeliveriesPosition?, epoch: Int64?, last: Int64) -> Int64 {
        guard let saved else { return 1 }
        // A study that was restored from before this device enrolled knows nothing of it: it had to enrol anew, and what
        // it sent before is what was lost. It is the same study if it opens what was sealed for it then.
        let isRestored = saved.epoch != nil && saved.epoch != epoch && saved.isOfStudy(of: enrolment)
        return saved.client == enrolment.clientID || isRestored ? saved.first : last.clampedSuccessor
    }

    /// All deliveries after the cursor, in the order of their last changes; a submission that changed while the pages
    /// were read stands once, at its newest state. Throws ``OutboxError``, `CancellationError`.
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

    /// The statuses and the position that the pages told.
    private struct Listing {
        /// The newest status by submission, of those asked about.
        var told: [String: String] = [:]
        var cursor = ""
        var epoch: Int64?
        /// The numbers that never came.
        var missing: [DeliveriesPage.Missing] = []
        /// Whether the pages began at the beginning.
        var isWhole: Bool
    }

    /// More pages than this are no list of one device's submissions.
    private static let mostPages = 100_000
    /// A cursor is a small text.
    private static let longestCursor = 1_024

    /// Reads the pages after the position, or from the beginning where the server's epoch changed or it does not know
    /// the cursor.
    private func readDeliveries(after position: DeliveriesPosition?, of submissionIDs: Set<String>) async throws
        -> Listing
    {
        var cursor = position?.cursor
        // A restore while the pages are read begins them anew; a third one in a row is no restore.
        for _ in 0..<3 {
            var listing = Listing(isWhole: cursor == nil)
            // From the beginning any epoch is right, as long as all pages have the same.
            var epoch: Int64?? = cursor == nil ? .none : .some(position?.epoch)
            do {
                let end = try await pages(after: cursor) { page in
                    if let known = epoch, known != page.epoch { return false }
                    epoch = .some(page.epoch)
                    listing.missing = page.missing ?? listing.missing
                    for delivery in page.deliveries {
                        let submissionID = delivery.submission.lowercased()
                        if submissionIDs.contains(submissionID) { listing.told[submissionID] = delivery.status }
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

    /// Reads page after page until one brings nothing new.
    /// - Parameter take: what to do with a page; whether to go on.
    /// - Returns: the last cursor; `nil` if `take` ended it.
    private func pages(
        after start: String?, _ take: (DeliveriesPage) throws -> Bool
    ) async throws -> String? {
        var cursor = start
        for _ in 0..<Self.mostPages {
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
    /// The next number; the last one there is has none but itself.
    fileprivate var clampedSuccessor: Int64 { self == .max ? self : self + 1 }
}
