/// The sessions of one store in this process, so many at most; who finds none free waits for one, in the order of asking.
actor PostgreSQLPool {
    /// So many wait at most.
    private static let mostWaiting = 1_024

    private struct Waiting {
        let id: Int
        let continuation: CheckedContinuation<PostgreSQLSession?, any Error>
        let limit: Task<Void, Never>
    }

    private let most: Int
    private let patience: Duration
    private let make: @Sendable () -> PostgreSQLSession
    private var free: [PostgreSQLSession] = []
    private var made: [PostgreSQLSession] = []
    private var waiting: [Waiting] = []
    private var next = 0

    /// - Parameter patience: the time after which who waits is told that all sessions are in use.
    init(most: Int, patience: Duration, make: @escaping @Sendable () -> PostgreSQLSession) {
        self.most = most
        self.patience = patience
        self.make = make
    }

    /// Lends a session to `body`.
    nonisolated func using<T: Sendable>(
        _ body: @Sendable (PostgreSQLSession) async throws -> T
    ) async throws -> T {
        let session = try await take()
        do {
            let value = try await body(session)
            await giveBack(session)
            return value
        } catch {
            await giveBack(session)
            throw error
        }
    }

    func close() async {
        for session in made { await session.close() }
    }

    private func take() async throws -> PostgreSQLSession {
        if let session = free.popLast() { return session }
        if made.count < most {
            let session = make()
            made.append(session)
            return session
        }
        guard waiting.count < Self.mostWaiting else { throw Self.busy }
        next += 1
        let (id, patience) = (next, patience)
        let session = try await withCheckedThrowingContinuation { continuation in
            let limit = Task {
                guard (try? await Task.sleep(for: patience)) != nil else { return }
                expire(id)
            }
            waiting.append(Waiting(id: id, continuation: continuation, limit: limit))
        }
        guard let session else { throw Self.busy }
        return session
    }

    private func giveBack(_ session: PostgreSQLSession) {
        guard !waiting.isEmpty else { return free.append(session) }
        let first = waiting.removeFirst()
        first.limit.cancel()
        first.continuation.resume(returning: session)
    }

    private func expire(_ id: Int) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).continuation.resume(returning: nil)
    }

    private static let busy = StorageError(
        code: "storage-busy", message: "All connections to the database are in use; try again.")
}
