/// Commits small writes that arrive at the same time in one transaction, so that the disk is waited for once for all.
///
/// While one batch is being written the next one gathers; alone, a write waits for nobody. When a batch fails over one of
/// its writes, they are tried again one by one, so that none suffers for another: a request may be performed more than once
/// and must have no effect but on its transaction. When the database itself fails (busy, full, damaged), the batch fails as
/// one: each of its writes alone would wait and fail in the same way.
public actor WriteGroup<Request: Sendable, Answer: Sendable> {
    /// Performs the requests of one batch in their order, and gives an answer to each.
    public typealias Perform = @Sendable ([Request], any SQLTransaction) throws -> [Answer]

    private struct Waiting: Sendable {
        let request: Request
        /// Told once the transaction is durable, or that it failed.
        let ended: @Sendable (Result<Answer, any Error>) -> Void
    }

    /// So many requests make a batch at most.
    private static var largestBatch: Int { 64 }

    private let database: any SQLDatabase
    private let perform: Perform
    private var waiting: [Waiting] = []
    private var isWriting = false

    public init(database: any SQLDatabase, perform: @escaping Perform) {
        self.database = database
        self.perform = perform
    }

    /// Performs a request in a transaction, perhaps with others, and returns when it is durable.
    ///
    /// A caller that is cancelled still waits: what it began may be part of a transaction that others wait for.
    public func write(_ request: Request) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            add(request) { continuation.resume(with: $0) }
        }
    }

    /// How many requests wait while a batch is written.
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
