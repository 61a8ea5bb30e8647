/// Commits small writes that arrive at the same time in one transaction, so that the disk is waited for once for all.
///
/// While one batch is being written the next one gathers; alone, a write waits for nobody. When a batch fails over one of
/// its writes, they are tried again one by one, so that none suffers for another: a body may run more than once and must
/// have no effect but on its transaction. When the database itself fails (busy, full, damaged), the batch fails as one:
/// each of its writes alone would wait and fail in the same way.
public actor GroupedWriter {
    private struct Waiting: Sendable {
        /// Runs the body; what it gives back tells the caller the result once the transaction is durable.
        let run: @Sendable (any SQLTransaction) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private static let largestBatch = 64

    private let database: any SQLDatabase
    private var waiting: [Waiting] = []
    private var isWriting = false

    public init(database: any SQLDatabase) {
        self.database = database
    }

    /// Runs `body` in a transaction, perhaps with others, and returns when it is durable.
    ///
    /// A caller that is cancelled still waits: what it began may be part of a transaction that others wait for.
    public func write<T: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> T)
        async throws -> T
    {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Waiting(
                    run: { transaction in
                        let value = try body(transaction)
                        return { continuation.resume(returning: value) }
                    },
                    fail: { continuation.resume(throwing: $0) }))
            guard !isWriting else { return }
            isWriting = true
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
        do {
            let answers = try await database.write { transaction in
                try batch.map { try $0.run(transaction) }
            }
            for answer in answers { answer() }
        } catch {
            guard batch.count > 1, !((error as? StorageError)?.concernsStore ?? false) else {
                for waiting in batch { waiting.fail(error) }
                return
            }
            for waiting in batch { await write([waiting]) }
        }
    }
}
