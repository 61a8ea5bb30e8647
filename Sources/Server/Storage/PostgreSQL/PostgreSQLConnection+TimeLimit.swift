import CPQ
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension PostgreSQLConnection {
    /// Waits until there is an answer, until the instant at which a query is ended, or until the task is cancelled: the
    /// server is told to end the query then (https://www.postgresql.org/docs/current/libpq-cancel.html), and its answer is
    /// that it did.
    func awaitAnswer() {
        guard let end else { return }
        while isAlive, PQisBusy(pointer) == 1 {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, !Task.isCancelled else { return cancel() }
            var waited = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            let milliseconds = min((left / .milliseconds(1)).rounded(.up), Self.millisecondsBetweenLooks)
            if poll(&waited, 1, CInt(milliseconds)) > 0 { _ = PQconsumeInput(pointer) }
        }
    }

    /// The time after which a wait looks whether its task was cancelled.
    private static let millisecondsBetweenLooks = 100.0

    /// Runs one statement, prepared at its first time, and passes its rows one by one as they come
    /// (https://www.postgresql.org/docs/current/libpq-single-row-mode.html). Rows that are not taken are read from the
    /// connection and dropped, one at a time.
    ///
    /// - Parameter take: is passed a row, and returns whether it takes another.
    func runOneByOne(
        _ sql: String, _ values: [SQLValue], _ take: (borrowing PostgreSQLResult) -> Bool
    ) throws(StorageError) {
        let statement = try prepare(sql)
        try require(values.count, of: statement)
        let parameters = try PostgreSQLParameters(values)
        let isSent = parameters.withPointers { texts, lengths, formats in
            PQsendQueryPrepared(pointer, statement.name, CInt(parameters.count), texts, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost }
        _ = PQsetSingleRowMode(pointer)
        var isTaking = true
        var failure: StorageError?
        while isAlive {
            awaitAnswer()
            guard let answer = PQgetResult(pointer) else { break }
            let result = PostgreSQLResult(answer)
            guard result.isSuccess else {
                failure = failure ?? refusal(result, of: statement)
                continue
            }
            if isTaking, result.status == PGRES_SINGLE_TUPLE { isTaking = take(result) }
        }
        guard isAlive else { throw lost }
        if let failure { throw failure }
    }

    /// The answer to one statement that was sent: nil where the connection is gone.
    func answerInTime() -> OpaquePointer? {
        var answer: OpaquePointer?
        while true {
            awaitAnswer()
            // Nothing ends the answer to one statement.
            guard let next = PQgetResult(pointer) else { return answer }
            PQclear(answer)
            answer = next
            // It would tell the same without end.
            guard isAlive else { return answer }
        }
    }

    private func cancel() {
        guard let cancellation = PQgetCancel(pointer) else { return }
        defer { PQfreeCancel(cancellation) }
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(cancellation, &message, CInt(message.count))
    }
}
