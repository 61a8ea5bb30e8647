import Foundation

/// Commits what arrives at the same time in one transaction, so that the disk is waited for once for all of it.
///
/// While one batch is being written the next one gathers. A batch holds at most ``largestBatch`` submissions.
actor EnqueueBatcher {
    private struct Waiting {
        let submission: NewSubmission
        let answer: CheckedContinuation<EnqueueResult, any Error>
    }

    private static let largestBatch = 64

    private let database: any SQLDatabase
    private var waiting: [Waiting] = []
    private var isWriting = false

    init(database: any SQLDatabase) {
        self.database = database
    }

    /// Returns when the batch that carries the submission is durable.
    func enqueue(_ submission: NewSubmission) async throws -> EnqueueResult {
        try await withCheckedThrowingContinuation { answer in
            waiting.append(Waiting(submission: submission, answer: answer))
            guard !isWriting else { return }
            isWriting = true
            // A task of its own: a client that hangs up must not undo what others wait for.
            Task { await self.writeAll() }
        }
    }

    private func writeAll() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.largestBatch))
            waiting.removeFirst(batch.count)
            await write(batch)
        }
        isWriting = false
    }

    private func write(_ batch: [Waiting]) async {
        let submissions = batch.map(\.submission)
        do {
            let results = try await database.write { transaction in
                try submissions.map { try Self.insert($0, in: transaction) }
            }
            for (waiting, result) in zip(batch, results) {
                waiting.answer.resume(returning: result)
            }
        } catch {
            // One large body may have filled the disk; the others get their own chance.
            guard batch.count > 1 else {
                batch.first?.answer.resume(throwing: error)
                return
            }
            for waiting in batch { await write([waiting]) }
        }
    }

    /// Parameters: lane, submission id.
    static let lookUpSQL = "SELECT digest FROM submission WHERE lane = ? AND submission_id = ?"

    private static func insert(_ new: NewSubmission, in transaction: any SQLTransaction) throws -> EnqueueResult {
        let identity = [SQLValue(new.lane), SQLValue(new.submissionID)]
        // 1. Known already?
        if let known = try transaction.first(lookUpSQL, identity) {
            return try known.text("digest") == new.digest ? .duplicate : .conflict
        }
        // 2. The row. On an engine with several writers another one may have been quicker; the constraint decides.
        let change = try SQLSubmissionQueue.nextChange(in: transaction)
        let rows = try transaction.query(
            """
            INSERT INTO submission (client_id, lane, submission_id, digest, format, sequence, resource_type_hint,
            resource_id_hint, size, received_at, status, changed_at, change)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', ?, ?)
            ON CONFLICT (lane, submission_id) DO NOTHING RETURNING number
            """,
            [
                SQLValue(new.clientID), SQLValue(new.lane), SQLValue(new.submissionID), SQLValue(new.digest),
                SQLValue(new.format.rawValue), SQLValue(new.sequence), SQLValue(new.resourceTypeHint),
                SQLValue(new.resourceIDHint), SQLValue(new.body.count), SQLValue(new.receivedAt),
                SQLValue(new.receivedAt), SQLValue(change),
            ])
        guard let row = rows.first else {
            guard let known = try transaction.first(lookUpSQL, identity) else {
                throw StorageError(code: "storage-failed", message: "A submission vanished while it was stored.")
            }
            return try known.text("digest") == new.digest ? .duplicate : .conflict
        }
        // 3. The sealed bytes.
        try transaction.execute(
            "INSERT INTO submission_body (number, body) VALUES (?, ?)", [row["number"], SQLValue(new.body)])
        return .accepted
    }
}
