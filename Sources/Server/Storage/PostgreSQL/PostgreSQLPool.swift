import Synchronization

/// Sessions of one store in this process, up to a maximum number. A task that finds no free session waits for one, in
/// the order of the requests.
final class PostgreSQLPool: Sendable {
    private struct Sessions {
        var free: [PostgreSQLSession] = []
        var made: [PostgreSQLSession] = []
    }

    private let semaphore: FairSemaphore
    private let make: @Sendable () -> PostgreSQLSession
    private let sessions = Mutex(Sessions())

    /// - Parameter patience: maximum wait for a session; then the error is `storage-busy`.
    init(limit: Int, patience: Duration, make: @escaping @Sendable () -> PostgreSQLSession) {
        semaphore = FairSemaphore(limit, patience: patience)
        self.make = make
    }

    /// Lends a session to `body`.
    func using<T: Sendable>(
        _ body: @Sendable (PostgreSQLSession) async throws -> T
    ) async throws -> T {
        try await semaphore.using {
            let session = take()
            defer { giveBack(session) }
            return try await body(session)
        }
    }

    func close() async {
        for session in made { await session.close() }
    }

    private var made: [PostgreSQLSession] { @inline(never) get { sessions.withLock { $0.made } } }

    @inline(never)
    private func giveBack(_ session: PostgreSQLSession) { sessions.withLock { $0.free.append(session) } }

    /// Returns a free session, or a new one. `semaphore` limits the number of sessions.
    @inline(never)
    private func take() -> PostgreSQLSession {
        sessions.withLock { sessions in
            if let session = sessions.free.popLast() { return session }
            let session = make()
            sessions.made.append(session)
            return session
        }
    }
}
