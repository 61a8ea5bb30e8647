import Foundation

/// What the queue holds when submissions come that are to be written together.
struct EnqueueStock: Sendable {
    /// When the newest row was received; nil in an empty queue.
    var newest: Date?
    /// The database's time, where it is the clock.
    var now: Date?
    /// Clients that have been shut out or replaced.
    var revoked: Set<String> = []
    /// By lane and submission id, the digests of what is known.
    var digests: [Identity: String] = [:]
    /// By lane, the bytes that wait there; of lanes with a limit alone.
    var waiting: [String: Int] = [:]

    struct Identity: Hashable, Sendable {
        let lane: String
        let submissionID: String

        init(_ submission: NewSubmission) {
            lane = submission.lane
            submissionID = submission.submissionID
        }
    }
}

/// Decides about submissions one after the other, each as if those before it were written already.
struct EnqueueDecision {
    private(set) var accepted: [(request: EnqueueRequest, receivedAt: Date)] = []
    private var stock: EnqueueStock

    init(_ stock: EnqueueStock) { self.stock = stock }

    mutating func decide(_ request: EnqueueRequest) -> EnqueueResult {
        let new = request.submission
        // 1. Still let in, and not known already?
        if stock.revoked.contains(new.clientID) { return .clientRevoked }
        let identity = EnqueueStock.Identity(new)
        if let known = stock.digests[identity] { return known == new.digest ? .duplicate : .conflict }
        // 2. Room for what may have to wait? What is accepted does not wait yet.
        if let quota = request.quota {
            guard stock.waiting[new.lane, default: 0] + new.body.count <= quota else { return .overQuota }
        }
        // 3. Time never runs backwards in the queue: a clock that was set back would make what comes now older than what
        //    came before, and a withdrawal older than the Contract that it ends.
        let received = stock.now ?? new.receivedAt
        let receivedAt = max(received, stock.newest ?? received)
        stock.newest = receivedAt
        stock.digests[identity] = new.digest
        accepted.append((request, receivedAt))
        return .accepted
    }

    /// What was accepted, in parts of which each takes but so much memory again when it is sent to a server.
    func parts(ofBytes limit: Int = 4 << 20) -> [ArraySlice<(request: EnqueueRequest, receivedAt: Date)>] {
        var parts: [ArraySlice<(request: EnqueueRequest, receivedAt: Date)>] = []
        var (begin, bytes) = (0, 0)
        for (index, next) in accepted.enumerated() {
            let size = next.request.submission.body.count
            if index > begin, bytes + size > limit {
                parts.append(accepted[begin..<index])
                (begin, bytes) = (index, 0)
            }
            bytes += size
        }
        if begin < accepted.count { parts.append(accepted[begin...]) }
        return parts
    }
}

extension EnqueueStock {
    /// Asks a database, once for all submissions.
    init(_ requests: [EnqueueRequest], clock: QueueClock, in transaction: any SQLTransaction) throws {
        let clockQueries = clock.queries(in: transaction.dialect)
        let clients = Set(requests.map(\.submission.clientID)).sorted()
        let lanes = Set(requests.lazy.filter { $0.quota != nil }.map(\.submission.lane)).sorted()
        var queries = [SQLQuery(SQLSubmissionQueue.newestSQL)]
        queries += clockQueries
        queries += clients.map { SQLQuery(SQLSubmissionQueue.revokedSQL, [SQLValue($0)]) }
        queries += lanes.map { SQLQuery(SQLSubmissionQueue.heldBytesSQL, [SQLValue($0)]) }
        queries += requests.map { SQLQuery(SQLSubmissionQueue.lookUpSQL, $0.identity) }
        var answers = try transaction.queries(queries)[...]

        newest = try answers.popFirst()?.first?.date("received_at")
        if !clockQueries.isEmpty {
            now = try clock.now(.distantPast, answers: answers.prefix(clockQueries.count))
            answers = answers.dropFirst(clockQueries.count)
        }
        for client in clients where answers.popFirst()?.isEmpty == false { revoked.insert(client) }
        for lane in lanes { waiting[lane] = Int(try answers.popFirst()?.first?.integer("bytes") ?? 0) }
        for request in requests {
            if let known = answers.popFirst()?.first {
                digests[Identity(request.submission)] = try known.text("digest")
            }
        }
    }
}
