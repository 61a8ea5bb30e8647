/// Runs short reads that are asked for at the same time in one transaction, so that a thread is changed once for all.
///
/// While some are being read the next ones gather; alone, a read waits for nobody. A long read does not belong here: others
/// would wait for it.
public actor GroupedReader {
    /// Tells the caller what came of it.
    private typealias Delivery = @Sendable () -> Void

    private struct Waiting: Sendable {
        /// Reads, and tells the error where it is the database's.
        let run: @Sendable (any SQLTransaction) -> (deliver: Delivery, error: StorageError?)
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
                        let error: StorageError? =
                            if case .failure(let error) = result { error as? StorageError } else { nil }
                        return ({ continuation.resume(with: result) }, error)
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
            let deliveries = try await database.lookUp { transaction in
                try group.map { one in
                    let (deliver, error) = one.run(transaction)
                    // On PostgreSQL a statement that fails ends the transaction for all behind it.
                    if let error { throw error }
                    return deliver
                }
            }
            for deliver in deliveries { deliver() }
        } catch {
            // Over a fault of one of them each has a transaction of its own; of the store itself all are told.
            guard group.count > 1, !((error as? StorageError)?.concernsStore ?? false) else {
                for one in group { one.fail(error) }
                return
            }
            for one in group { await read([one], database) }
        }
    }
}
