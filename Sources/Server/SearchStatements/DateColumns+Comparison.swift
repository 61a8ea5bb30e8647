import FHIRSearch
import RecordStorage
import Storage

extension DateColumns {
    /// Returns the condition that a stored time compares with a half-open range as a prefix requires
    /// (<https://hl7.org/fhir/R4/search.html#prefix>).
    package func compared(
        _ prefix: SearchPrefix, low: Int64, high: Int64
    ) -> (condition: String, parameters: [SQLValue]) {
        var builder = Builder(time: self)
        let condition = builder.comparison(prefix, low: low, high: high)
        return (condition, builder.parameters)
    }

    private struct Builder {
        let time: DateColumns
        var parameters: [SQLValue] = []

        mutating func comparison(_ prefix: SearchPrefix, low: Int64, high: Int64) -> String {
            switch prefix {
            case .eq: "(" + begins(from: low) + " AND " + ends(by: high) + ")"
            case .ne: "(" + begins(before: low) + " OR " + ends(after: high) + ")"
            case .gt: ends(after: high)
            case .lt: begins(before: low)
            case .ge: "(" + ends(after: high) + " OR " + begins(from: low) + ")"
            case .le: "(" + begins(before: low) + " OR " + ends(by: high) + ")"
            case .sa: begins(from: high)
            case .eb: ends(by: low)
            case .ap: "(" + begins(before: high) + " AND " + ends(after: low) + ")"
            }
        }

        private mutating func begins(from instant: Int64) -> String {
            parameters.append(SQLValue(instant))
            return "\(time.low) >= ?"
        }

        private mutating func begins(before instant: Int64) -> String {
            parameters.append(SQLValue(instant))
            return "\(time.low) < ?"
        }

        /// With a maximum duration, the end also bounds the start, which has an index.
        private mutating func ends(by instant: Int64) -> String {
            parameters.append(SQLValue(instant))
            guard time.duration != nil else { return "\(time.high) <= ?" }
            parameters.append(SQLValue(instant))
            return "(\(time.low) <= ? AND \(time.high) <= ?)"
        }

        /// With a maximum duration, the end also bounds the start, which has an index.
        private mutating func ends(after instant: Int64) -> String {
            guard let duration = time.duration else {
                parameters.append(SQLValue(instant))
                return "\(time.high) > ?"
            }
            parameters += [SQLValue(max(instant, .min + duration) - duration), SQLValue(instant)]
            return "(\(time.low) > ? AND \(time.high) > ?)"
        }
    }
}
