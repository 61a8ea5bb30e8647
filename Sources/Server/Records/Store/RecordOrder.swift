import Foundation
import Storage

/// The position of a submission among all others: the one that came later says what is the present of a resource,
/// whichever of them is handled first.
public struct RecordOrder: Sendable, Hashable, Comparable {
    /// When it came, in whole milliseconds since 1970.
    public let receivedMilliseconds: Int64
    /// Its number in the queue, which tells apart what came within one millisecond.
    public let number: Int64

    public init(receivedMilliseconds: Int64, number: Int64) {
        self.receivedMilliseconds = receivedMilliseconds
        self.number = number
    }

    public static func < (left: RecordOrder, right: RecordOrder) -> Bool {
        (left.receivedMilliseconds, left.number) < (right.receivedMilliseconds, right.number)
    }

    /// The order that the columns of a `record` hold.
    init(_ row: SQLRow) throws {
        receivedMilliseconds = try row.integer("received_ms")
        number = try row.integer("received_number")
    }

    /// `received_ms` and `received_number`.
    var columns: [SQLValue] { [SQLValue(receivedMilliseconds), SQLValue(number)] }
}
