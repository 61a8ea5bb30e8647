import CPQ
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension PostgreSQLConnection {
    /// Waits until there is an answer, or until the instant at which a query is ended: the server is told to end it then
    /// (https://www.postgresql.org/docs/current/libpq-cancel.html), and its answer is that it did.
    func awaitAnswer() {
        guard let end else { return }
        while isAlive, PQisBusy(pointer) == 1 {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return cancel() }
            var waited = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            let milliseconds = left / .milliseconds(1)
            if poll(&waited, 1, CInt(min(milliseconds.rounded(.up), 60_000))) > 0 { _ = PQconsumeInput(pointer) }
        }
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
