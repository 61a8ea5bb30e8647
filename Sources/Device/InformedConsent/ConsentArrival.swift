import Foundation

/// The time at which a Contract or a withdrawal arrived. It decides if the persons' clocks contradict each other.
public struct ConsentArrival: Sendable, Hashable, Codable, Comparable {
    /// The time at which the server received it.
    public let receivedAt: Date
    /// The server's sequence number of received messages, which orders arrivals in the same millisecond.
    public let number: Int64

    /// Creates an arrival from the server's time and sequence number.
    public init(receivedAt: Date, number: Int64) {
        self.receivedAt = receivedAt
        self.number = number
    }

    public static func < (left: ConsentArrival, right: ConsentArrival) -> Bool {
        (left.receivedAt, left.number) < (right.receivedAt, right.number)
    }
}
