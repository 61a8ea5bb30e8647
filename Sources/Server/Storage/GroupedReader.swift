/// Runs short reads that are asked for at the same time in one transaction, so that a thread is changed once for all.
///
/// While some are being read the next ones gather; alone, a read waits for nobody. A long read does not belong here: others
/// would wait for it.
public actor GroupedReader {
    /// Tells the caller what came of it.
    private typealias Delivery = @Sendable () -> Void

    private struct Waiting: Sendable {
        /// Reads, and tells whether the database failed.
        let run: @Sendable (any SQLTransaction) -> (deliver: Delivery, failed: Bool)
        let fail: @Sendable (any Error) -> Void
    }

    /// So many groups are read side by side, and each has so many reads at most.
    private static let most = 2
    private static let largestGroup = 32

    private let database: any SQLDatabase
    private var waiting: [Waiting] = []
    private var groups = 0

    public init(database: any SQLDatabase) { self.database = database }

    /// Runs `body` in a transaction that reads, perhaps with others. It may be run more than once.
    public func read<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Waiting(
                    run: { transaction in
                        let result = Result { try body(transaction) }
                        let failed = if case .failure(let error) = result { error is StorageError } else { false }
                        return ({ continuation.resume(with: result) }, failed)
                    }, fail: { continuation.resume(throwing: $0) }))
            guard groups < Self.most else { return }
            groups += 1
            Task { await self.readAll() }
        }
    }

    private func readAll() async {
        while !waiting.isEmpty {
            let group = Array(waiting.prefix(Self.largestGroup))
            waiting.removeFirst(group.count)
            await Self.read(group, database)
        }
        groups -= 1
    }

    private static func read(_ group: [Waiting], _ database: any SQLDatabase) async {
        do {
            let results = try await database.read { transaction in group.map { $0.run(transaction) } }
            // On PostgreSQL one statement that fails ends the transaction for all behind it: those have another.
            for (one, result) in zip(group, results) {
                if result.failed, group.count > 1 { await read([one], database) } else { result.deliver() }
            }
        } catch {
            for one in group { one.fail(error) }
        }
    }
}
