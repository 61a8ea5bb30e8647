import Foundation

/// Conversion of instants to whole milliseconds since 1970, the unit of search and of stored order.
package enum Milliseconds {
    /// Returns the milliseconds of an instant, limited to ±9·10^15.
    package static func of(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return value.isFinite ? Int64(max(-9e15, min(9e15, value))) : 0
    }
}
