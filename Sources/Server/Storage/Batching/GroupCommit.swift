/// Commits concurrent small writes in one transaction, which waits for the disk only once.
///
/// While one batch is written, the next one gathers; a single write starts immediately. When a batch fails because of
/// one of its writes, each is tried again by itself, so that it does not affect the others: a request may run more than
/// once and must have no effects outside of its transaction. When the database itself fails (busy, full, damaged), the
/// whole batch fails, because each write alone would wait and fail in the same way.
public actor GroupCommit<Request: Sendable, Answer: Sendable> {
    /// Performs the requests of one batch in order, and returns an answer to each.
    public typealias Perform = @Sendable ([Request], any SQLTransaction) throws -> [Answer]

    private struct Waiting: Sendable {
        let request: Request
        /// Called once the transaction is durable or has failed.
        let ended: @Sendable (Result<Answer, any Error>) -> Void
    }

    /// Maximum number of requests in a batch.
    private static var largestBatch: Int { 64 }

    private let database: any SQLDatabase
    private let perform: Perform
    private var waiting: [Waiting] = []
    private var isWriting = false

    public init(database: any SQLDatabase, perform: @escaping Perform) {
        self.database = database
        self.perform = perform
    }

    /// Performs a request in a transaction, possibly together with others, and returns when it is durable.
    ///
    /// Cancellation does not end the wait, because the transaction may contain the writes of other callers.
    public func write(_ request: Request) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            add(request) { continuation.resume(with: $0) }
        }
    }

    /// Number of requests that wait while a batch is written.
    var waitingCount: Int { waiting.count }

    func add(_ request: Request, ended: @escaping @Sendable (Result<Answer, any Error>) -> Void) {
        waiting.append(Waiting(request: request, ended: ended))
        guard !isWriting else { return }
        isWriting = true
        Task { await self.writeAll() }
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
        do {
            let (requests, perform) = (batch.map(\.request), perform)
            let answers = try await database.write { try perform(requests, $0) }
            for (waiting, answer) in zip(batch, answers) { waiting.ended(.success(answer)) }
        } catch {
            guard batch.count > 1, !((error as? StorageError)?.concernsStore ?? false) else {
                for waiting in batch { waiting.ended(.failure(error)) }
                return
            }
            for waiting in batch { await write([waiting]) }
        }
    }
}
