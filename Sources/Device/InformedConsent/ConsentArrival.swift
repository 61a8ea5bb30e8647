import Foundation

/// When a Contract or a withdrawal came: of what the persons' clocks say in contradiction, this decides.
public struct ConsentArrival: Sendable, Hashable, Codable, Comparable {
    /// When the server received it.
    public let receivedAt: Date
    /// The server's count of what it receives, for what came in the same millisecond.
    public let number: Int64

    /// Makes an arrival of the server's time and count.
    public init(receivedAt: Date, number: Int64) {
        self.receivedAt = receivedAt
        self.number = number
    }

    public static func < (left: ConsentArrival, right: ConsentArrival) -> Bool {
        (left.receivedAt, left.number) < (right.receivedAt, right.number)
    }
}
