/// Runs independent bodies in one transaction.
public typealias GroupedWriter = GroupCommit<GroupedBody, GroupedBody.Delivery>

/// Type-erased body of a ``GroupedWriter``.
public struct GroupedBody: Sendable {
    /// Passes the value to the caller.
    public typealias Delivery = @Sendable () -> Void

    fileprivate let run: @Sendable (any SQLTransaction) throws -> Delivery
}

extension GroupCommit where Request == GroupedBody, Answer == GroupedBody.Delivery {
    public init(database: any SQLDatabase) {
        self.init(database: database) { bodies, transaction in try bodies.map { try $0.run(transaction) } }
    }

    /// Runs `body` in a transaction, possibly together with others, and returns when it is durable.
    ///
    /// Cancellation does not end the wait, because the transaction may contain the writes of other callers.
    public func write<T: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            let request = GroupedBody { transaction in
                let value = try body(transaction)
                return { continuation.resume(returning: value) }
            }
            add(request) { result in
                switch result {
                case .success(let deliver): deliver()
                case .failure(let error): continuation.resume(throwing: error)
                }
            }
        }
    }
}
