import Foundation
import Wire

/// The difference between the clock of a server and that of the device.
public struct ServerClock: Sendable, Hashable {
    /// Seconds to add to the time of the device.
    public let offset: TimeInterval

    /// Maximum difference in seconds.
    public static let tolerance: TimeInterval = 300

    /// Computes the difference from one answer of `getTime`. The answer was made between the two times of the device.
    ///
    /// - Throws: ``WalletError`` `clock-off` for more than 300 seconds.
    public init(server: CsiInstant, sentAt: Date, receivedAt: Date) throws(WalletError) {
        let middle = sentAt.addingTimeInterval(max(0, receivedAt.timeIntervalSince(sentAt)) / 2)
        let offset = server.date.timeIntervalSince(middle)
        guard abs(offset) <= Self.tolerance else { throw WalletError(.clockOff) }
        self.offset = offset
    }

    /// Returns the time of the server.
    ///
    /// - Parameter now: the time of the device.
    public func time(at now: Date) -> Date { now.addingTimeInterval(offset) }
}
