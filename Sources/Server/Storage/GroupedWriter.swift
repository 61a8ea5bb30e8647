/// Runs bodies that have nothing to do with each other in one transaction.
public typealias GroupedWriter = WriteGroup<GroupedBody, GroupedBody.Delivery>

/// A body of a ``GroupedWriter``, whatever its value is.
public struct GroupedBody: Sendable {
    /// Tells the caller the value.
    public typealias Delivery = @Sendable () -> Void

    fileprivate let run: @Sendable (any SQLTransaction) throws -> Delivery
}

extension WriteGroup where Request == GroupedBody, Answer == GroupedBody.Delivery {
    public init(database: any SQLDatabase) {
        self.init(database: database) { bodies, transaction in try bodies.map { try $0.run(transaction) } }
    }

    /// Runs `body` in a transaction, perhaps with others, and returns when it is durable.
    ///
    /// A caller that is cancelled still waits: what it began may be part of a transaction that others wait for.
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
