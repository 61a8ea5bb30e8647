import Storage

extension SearchedTime {
    /// The condition that a stored time compares so with a range, half open as what is stored
    /// (<https://hl7.org/fhir/R4/search.html#prefix>).
    func compared(
        _ prefix: SearchPrefix, low: Int64, high: Int64
    ) -> (condition: String, parameters: [SQLValue]) {
        var builder = Builder(time: self)
        let condition = builder.comparison(prefix, low, high)
        return (condition, builder.parameters)
    }

    private struct Builder {
        let time: SearchedTime
        var parameters: [SQLValue] = []

        mutating func comparison(_ prefix: SearchPrefix, _ low: Int64, _ high: Int64) -> String {
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

        /// What lasts no longer than known has begun by then, too.
        private mutating func ends(by instant: Int64) -> String {
            parameters.append(SQLValue(instant))
            guard time.duration != nil else { return "\(time.high) <= ?" }
            parameters.append(SQLValue(instant))
            return "(\(time.low) <= ? AND \(time.high) <= ?)"
        }

        /// What lasts no longer than known has begun no longer before.
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
