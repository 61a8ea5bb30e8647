/// Runs concurrent short reads in one transaction, which saves a thread switch for each of them.
///
/// Reads that arrive during a transaction form the next group; a single read starts immediately. Do not use this type
/// for long reads, because the other reads of the group would wait for them.
public actor GroupedReader {
    /// Passes the result to the caller.
    private typealias Delivery = @Sendable () -> Void

    private struct Waiting: Sendable {
        /// Runs the read; also returns its error if it is a database error.
        let run: @Sendable (any SQLTransaction) -> (deliver: Delivery, error: StorageError?)
        let fail: @Sendable (any Error) -> Void
    }

    /// Maximum number of groups that run concurrently, and maximum number of reads in a group.
    private static let maximumGroups = 2
    private static let largestGroup = 32

    private let database: any SQLDatabase
    private var waiting: [Waiting] = []
    private var groups = 0

    public init(database: any SQLDatabase) { self.database = database }

    /// Runs `body` in a read transaction, possibly together with others. `body` may run more than once.
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
            guard groups < Self.maximumGroups else { return }
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
                    // In PostgreSQL a failed statement aborts the transaction, including the later reads of the group.
                    if let error { throw error }
                    return deliver
                }
            }
            for deliver in deliveries { deliver() }
        } catch {
            // If one read caused the error, run each read in its own transaction. An error of the store itself fails
            // all reads.
            guard group.count > 1, !((error as? StorageError)?.concernsStore ?? false) else {
                for one in group { one.fail(error) }
                return
            }
            for one in group { await read([one], database) }
        }
    }
}
