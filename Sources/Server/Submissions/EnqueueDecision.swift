import Foundation
import Storage

/// State of the queue that decides about a group of new submissions.
struct EnqueueStock: Sendable {
    /// Receipt time of the newest row; nil for an empty queue.
    var newest: Date?
    /// Current time of the database, if the database is the clock.
    var now: Date?
    /// Clients that are revoked or replaced.
    var revoked: Set<String> = []
    /// Digests of the known submissions, by device queue and submission id.
    var digests: [Identity: String] = [:]
    /// Bytes of the held and quarantined submissions, by enrolment; only for enrolments with a quota.
    var waiting: [String: Int] = [:]

    struct Identity: Hashable, Sendable {
        let enrolmentID: String
        let submissionID: String

        init(_ submission: NewSubmission) {
            enrolmentID = submission.enrolmentID
            submissionID = submission.submissionID
        }
    }
}

/// Decides about submissions in order, each as if the ones before it were already written.
struct EnqueueDecision {
    private(set) var accepted: [(request: EnqueueRequest, receivedAt: Date)] = []
    private var stock: EnqueueStock

    init(_ stock: EnqueueStock) { self.stock = stock }

    mutating func decide(_ request: EnqueueRequest) -> EnqueueResult {
        let new = request.submission
        // 1. Reject a revoked client; recognize a submission that is already known.
        if stock.revoked.contains(new.clientID) { return .clientRevoked }
        let identity = EnqueueStock.Identity(new)
        if let known = stock.digests[identity] { return known == new.digest ? .duplicate : .conflict }
        // 2. Check the quota. It limits held and quarantined bytes; a submission of this group is neither yet.
        if let quota = request.quota {
            guard stock.waiting[new.enrolmentID, default: 0] + new.body.count <= quota else { return .overQuota }
        }
        // 3. Receipt times never decrease. With a clock that was set back, this submission would sort before earlier
        //    ones, and a withdrawal before the Contract that it ends.
        let received = stock.now ?? new.receivedAt
        let receivedAt = max(received, stock.newest ?? received)
        stock.newest = receivedAt
        stock.digests[identity] = new.digest
        accepted.append((request, receivedAt))
        return .accepted
    }

    /// The accepted submissions in batches of limited size, because sending a batch to a database server copies it in
    /// memory.
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
    /// Loads the state from a database, with one round trip for all submissions.
    init(_ requests: [EnqueueRequest], clock: QueueClock, in transaction: any SQLTransaction) throws {
        let clockQueries = clock.queries(in: transaction.dialect)
        let clients = Set(requests.map(\.submission.clientID)).sorted()
        let enrolmentIDs = Set(requests.lazy.filter { $0.quota != nil }.map(\.submission.enrolmentID)).sorted()
        var queries = [SQLQuery(SQLSubmissionQueue.newestSQL)]
        queries += clockQueries
        queries += clients.map { SQLQuery(SQLSubmissionQueue.revokedSQL, [SQLValue($0)]) }
        queries += enrolmentIDs.map { SQLQuery(SQLSubmissionQueue.heldBytesSQL, [SQLValue($0)]) }
        queries += requests.map { SQLQuery(SQLSubmissionQueue.lookUpSQL, $0.identity) }
        var answers = try transaction.queries(queries)[...]

        newest = try answers.popFirst()?.first?.date("received_at")
        if !clockQueries.isEmpty {
            now = try clock.now(.distantPast, answers: answers.prefix(clockQueries.count))
            answers = answers.dropFirst(clockQueries.count)
        }
        for client in clients where answers.popFirst()?.isEmpty == false { revoked.insert(client) }
        for enrolmentID in enrolmentIDs {
            waiting[enrolmentID] = Int(try answers.popFirst()?.first?.integer("bytes") ?? 0)
        }
        for request in requests {
            if let known = answers.popFirst()?.first {
                digests[Identity(request.submission)] = try known.text("digest")
            }
        }
    }
}
