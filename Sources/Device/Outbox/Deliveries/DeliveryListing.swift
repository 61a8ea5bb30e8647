import Wire

/// The states that the study reported for the submissions on the device, and those that were returned to the caller.
struct DeliveryListing: Sendable {
    private var cursor: String?
    /// The epoch of the pages; `.none` before the first page.
    private var epoch: Int64??
    /// The states that the study reported, by submission.
    private var reported: [String: SubmissionDelivery.State] = [:]
    /// The states that were returned, by submission.
    private var shown: [String: SubmissionDelivery.State] = [:]
    /// Number of reported states beyond which those of submissions without a file on the device are removed.
    private var reportedLimit = minimumReportedLimit
    private static let minimumReportedLimit = 10_000

    /// Whether every returned submission is stored or refused.
    var isSettled: Bool { shown.values.allSatisfy(\.isSettled) }

    /// Maximum number of pages. No list of one device's submissions has more.
    private static let maximumPages = 100_000
    /// Maximum length of a cursor in bytes.
    private static let longestCursor = 1_024

    /// Reads the pages after those that were read.
    ///
    /// - Returns: the delay in seconds that the last response asks for, if any.
    /// - Throws: ``OutboxError``, `CancellationError`.
    mutating func ask(_ connection: StudyConnection, about outbox: OutboxDirectory) async throws -> Double? {
        for _ in 0..<Self.maximumPages {
            try Task.checkCancellation()
            let (page, retryAfter): (DeliveriesPage, Double?)
            do {
                (page, retryAfter) = try await connection.deliveriesPage(after: cursor)
            } catch let error as OutboxError
                where error.reason == .requestRefused && cursor != nil && [400, 409, 410].contains(error.status)
            {
                restart()
                continue
            }
            guard page.next.utf8.count <= Self.longestCursor else { break }
            // A new epoch means that the study was restored: earlier statuses may not be true any more.
            if let epoch, epoch != page.epoch {
                if cursor != nil {
                    restart()
                    continue
                }
                reported = [:]
            }
            epoch = .some(page.epoch)
            for delivery in page.deliveries {
                reported[delivery.submission.lowercased()] = .init(status: delivery.status, reason: delivery.reason)
            }
            try forgetOthers(than: outbox)
            let isLast = page.deliveries.isEmpty || page.next == cursor
            cursor = page.next
            if isLast { return retryAfter }
        }
        throw OutboxError(.answerInvalid, "The server's list of deliveries cannot be read.")
    }

    /// Keeps a long list from filling memory by removing states of submissions that are not on the device. It lists the
    /// folders, so it runs only when the number of states has doubled.
    private mutating func forgetOthers(than outbox: OutboxDirectory) throws(OutboxError) {
        guard reported.count > reportedLimit else { return }
        let present = Set(try (outbox.entries() + outbox.sentSubmissions().map(\.entry)).map(\.submissionID))
        reported = reported.filter { present.contains($0.key) }
        reportedLimit = Swift.max(Self.minimumReportedLimit, 2 * reported.count)
    }

    private mutating func restart() { (cursor, epoch, reported) = (nil, .none, [:]) }

    /// Returns the outcomes that the device has on record, the oldest first, without the study's reports: before the
    /// first request they are the known ones.
    mutating func recordedOutcomes(in outbox: OutboxDirectory) throws(OutboxError) -> [SubmissionDelivery] {
        let settled = try current(in: outbox).filter { $0.value.isSettled }
        shown = settled.mapValues(\.state)
        return settled.values.sorted { $0.entry < $1.entry }
    }

    /// Returns the deliveries that changed since they were last returned, the oldest first. Submissions that are not on
    /// the device any more are forgotten.
    mutating func changes(in outbox: OutboxDirectory) throws(OutboxError) -> [SubmissionDelivery] {
        let states = try current(in: outbox)
        let changed = states.values.filter { shown[$0.entry.submissionID] != $0.state }
        shown = states.mapValues(\.state)
        reported = reported.filter { states[$0.key] != nil }
        return changed.sorted { $0.entry < $1.entry }
    }

    /// Returns the deliveries of all submissions on the device, by submission.
    private func current(in outbox: OutboxDirectory) throws(OutboxError) -> [String: SubmissionDelivery] {
        var current: [SubmissionDelivery] = []
        for submission in try outbox.sentSubmissions() {
            let own: SubmissionDelivery.State =
                switch submission.fate {
                case .waiting: .waiting
                case .stored: .stored
                case .refused: .refused(code: "refused")
                }
            current.append(.init(entry: submission.entry, state: reported[submission.entry.submissionID] ?? own))
        }
        for entry in try outbox.refusedEntries() {
            let code = (try? outbox.refusal(of: entry))?.code ?? "refused"
            current.append(.init(entry: entry, state: .refused(code: code)))
        }
        // A file that moved while the folders were read occurs twice: the entry of the queue has priority.
        for entry in try outbox.entries() { current.append(.init(entry: entry, state: .waiting)) }
        return Dictionary(current.map { ($0.entry.submissionID, $0) }, uniquingKeysWith: { _, later in later })
    }
}
