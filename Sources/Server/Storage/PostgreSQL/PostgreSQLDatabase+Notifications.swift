import CPQ
import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension PostgreSQLDatabase: NotifyingDatabase {
    /// Listens on a connection and a thread of its own for as long as the sequence is read
    /// (https://www.postgresql.org/docs/current/sql-listen.html).
    public func notifications() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            // Without notifications, waiting tasks still poll from time to time.
            continuation.finish()
            return stream
        }
        let (stop, end) = (ends[0], ends[1])
        let (address, channel) = (address, channel)
        continuation.onTermination = { _ in _ = Self.closeEnd(end) }
        Thread.detachNewThread {
            Self.listen(to: channel, at: address, stop: stop) { continuation.yield() }
            _ = Self.closeEnd(stop)
        }
        return stream
    }

    // The type's own `close` hides the system call.
    private static func closeEnd(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    /// Listens until the other end of `stop` is closed. Reconnects to an unreachable server with growing delays.
    private static func listen(
        to channel: String, at address: PostgreSQLAddress, stop: Int32, notify: () -> Void
    ) {
        var backoff = ExponentialBackoff<Int32>(first: 100, longest: 30_000)
        while true {
            if let connection = try? PostgreSQLConnection(address, settings: ["LISTEN \(channel)"]) {
                backoff.reset()
                // Notifications that were sent without a connection are lost, so report one.
                notify()
                while connection.isAlive {
                    switch connection.waitForNotification(until: stop) {
                    case .notified: notify()
                    case .stopped: return
                    case .other: break
                    }
                }
            }
            var waiting = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, backoff.nextDelay()) == 0 else { return }
        }
    }
}

extension PostgreSQLConnection {
    /// Reason why a wait ended.
    enum WaitResult { case notified, stopped, other }

    /// Waits for a notification, or until the other end of a pipe is closed.
    func waitForNotification(until stop: Int32) -> WaitResult {
        var waiting = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waiting, 2, -1) > 0 else { return .other }
        if waiting[1].revents != 0 { return .stopped }
        return takeNotifications() ? .notified : .other
    }
}
