import Wire

/// The states that the study told of the submissions that the device keeps, and those that were given out of them.
struct DeliveryListing: Sendable {
    private var cursor: String?
    /// The epoch of the pages; `.none` before the first.
    private var epoch: Int64??
    /// The states that the study told, by submission.
    private var told: [String: SubmissionDelivery.State] = [:]
    /// The states that were given out, by submission.
    private var shown: [String: SubmissionDelivery.State] = [:]
    /// How many words are kept before those are forgotten of which the device keeps no file.
    private var mostTold = fewTold
    private static let fewTold = 10_000

    /// Whether every submission that was given out is stored or refused.
    var isSettled: Bool { shown.values.allSatisfy(\.isSettled) }

    /// More pages than this are no list of one device's submissions.
    private static let mostPages = 100_000
    /// A cursor is a small text.
    private static let longestCursor = 1_024

    /// Reads the pages after those that were read.
    ///
    /// - Returns: the wait in seconds that the last answer asks for, where it does.
    /// - Throws: ``OutboxError``, `CancellationError`.
    mutating func ask(_ connection: StudyConnection, about outbox: OutboxDirectory) async throws -> Double? {
        for _ in 0..<Self.mostPages {
            try Task.checkCancellation()
            let (page, retryAfter): (DeliveriesPage, Double?)
            do {
                (page, retryAfter) = try await connection.deliveriesPage(after: cursor)
            } catch let error as OutboxError
                where error.reason == .requestRefused && cursor != nil && [400, 409, 410].contains(error.status)
            {
                beginAnew()
                continue
            }
            guard page.next.utf8.count <= Self.longestCursor else { break }
            // Another epoch is another life of the study: what it said before may not be so any more.
            if let epoch, epoch != page.epoch {
                if cursor != nil {
                    beginAnew()
                    continue
                }
                told = [:]
            }
            epoch = .some(page.epoch)
            for delivery in page.deliveries {
                told[delivery.submission.lowercased()] = .init(status: delivery.status, reason: delivery.reason)
            }
            try forgetOthers(than: outbox)
            let isLast = page.deliveries.isEmpty || page.next == cursor
            cursor = page.next
            if isLast { return retryAfter }
        }
        throw OutboxError(.answerInvalid, "The server's list of deliveries cannot be read.")
    }

    /// Keeps a long list from filling memory: of what the device does not keep nothing need be known. Asked only when the
    /// words have doubled, for it lists the folders.
    private mutating func forgetOthers(than outbox: OutboxDirectory) throws(OutboxError) {
        guard told.count > mostTold else { return }
        let kept = Set(try (outbox.entries() + outbox.sentSubmissions().map(\.entry)).map(\.submissionID))
        told = told.filter { kept.contains($0.key) }
        mostTold = Swift.max(Self.fewTold, 2 * told.count)
    }

    private mutating func beginAnew() { (cursor, epoch, told) = (nil, .none, [:]) }

    /// Returns the deliveries that changed since they were given out, the oldest first. Submissions that the device
    /// does not keep any more are forgotten.
    mutating func changes(in outbox: OutboxDirectory) throws(OutboxError) -> [SubmissionDelivery] {
        var standing: [SubmissionDelivery] = []
        for submission in try outbox.sentSubmissions() {
            let own: SubmissionDelivery.State =
                switch submission.fate {
                case .waiting: .waiting
                case .stored: .stored
                case .refused: .refused(code: "refused")
                }
            standing.append(.init(entry: submission.entry, state: told[submission.entry.submissionID] ?? own))
        }
        for entry in try outbox.refusedEntries() {
            let code = (try? outbox.refusal(of: entry))?.code ?? "refused"
            standing.append(.init(entry: entry, state: .refused(code: code)))
        }
        // A file that moved while the folders were read stands in two: the queue's is the one to come.
        for entry in try outbox.entries() { standing.append(.init(entry: entry, state: .waiting)) }
        let states = Dictionary(
            standing.map { ($0.entry.submissionID, $0) }, uniquingKeysWith: { _, later in later })
        let changed = states.values.filter { shown[$0.entry.submissionID] != $0.state }
        shown = states.mapValues(\.state)
        told = told.filter { states[$0.key] != nil }
        return changed.sorted { $0.entry < $1.entry }
    }
}
