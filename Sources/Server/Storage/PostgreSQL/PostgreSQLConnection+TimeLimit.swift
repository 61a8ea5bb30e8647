import CPQ
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension PostgreSQLConnection {
    /// Waits for an answer until the deadline or until the task is cancelled. Then it sends the server a request to
    /// cancel the query (https://www.postgresql.org/docs/current/libpq-cancel.html), and the answer is the cancellation
    /// error.
    func awaitAnswer() {
        guard let end else { return }
        while isAlive, PQisBusy(pointer) == 1 {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, !Task.isCancelled else { return cancel() }
            var waited = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            let milliseconds = min((left / .milliseconds(1)).rounded(.up), Self.millisecondsBetweenChecks)
            if poll(&waited, 1, CInt(milliseconds)) > 0 { _ = PQconsumeInput(pointer) }
        }
    }

    /// Interval at which a wait checks whether its task is cancelled.
    private static let millisecondsBetweenChecks = 100.0

    /// Runs one statement, prepared at its first use, and passes each row as it arrives
    /// (https://www.postgresql.org/docs/current/libpq-single-row-mode.html). Rows that `take` does not accept are read
    /// from the connection one by one and discarded.
    ///
    /// - Parameter take: receives a row, and returns whether it accepts another one.
    func runOneByOne(
        _ sql: String, values: [SQLValue], take: (borrowing PostgreSQLResult) -> Bool
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

    /// Returns the answer to one sent statement; nil if the connection is lost.
    func answerInTime() -> OpaquePointer? {
        var answer: OpaquePointer?
        while true {
            awaitAnswer()
            // A nil result ends the answer to one statement.
            guard let next = PQgetResult(pointer) else { return answer }
            PQclear(answer)
            answer = next
            // A lost connection would return the same error forever.
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
