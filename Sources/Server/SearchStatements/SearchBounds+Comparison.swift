import FHIRSearch
import Storage

extension SearchBounds {
    /// The rows that a comparison includes.
    package enum Extent: Sendable {
        case any
        /// Rows with a single number, as nearly all are. The index by the lower bound also finds them by the upper one.
        case number
        /// Rows with a range of numbers, which have an index by the upper bound.
        case range
    }

    /// Returns a condition that the bounds of a row of entries, given by its alias, compare with a number
    /// (<https://hl7.org/fhir/R4/search.html#number>). It agrees with ``SearchNumber/matches(_:_:)``.
    package static func compare(
        _ prefix: SearchPrefix, _ asked: SearchNumber, in row: String, of extent: Extent = .any
    ) -> SQLFragment {
        let comparison = comparison(prefix, asked, in: row, greatest: extent == .number ? "\(row).low" : "\(row).high")
        return switch extent {
        case .any: comparison
        case .number: .all([SQLFragment("\(row).low = \(row).high"), comparison])
        case .range: .all([SQLFragment("\(row).low <> \(row).high"), comparison])
        }
    }

    private static func comparison(
        _ prefix: SearchPrefix, _ asked: SearchNumber, in row: String, greatest: String
    ) -> SQLFragment {
        guard asked.low != nil, asked.high != nil, asked.implicitLow != nil, asked.implicitHigh != nil else {
            return .never
        }
        let bounds = SearchBounds(asked)
        let (low, high) = (SQLValue(bounds.low), SQLValue(bounds.high))
        let (begin, end) = (SQLValue(bounds.implicitLow), SQLValue(bounds.implicitHigh))
        switch prefix {
        case .eq, .ne:
            // The index by the lower bound finds them; for a single number the upper bound is the same.
            let isInside = SQLFragment(
                "(\(row).low >= ? AND \(row).low < ? AND \(row).high < ?)", [begin, end, end])
            return prefix == .eq ? isInside : .not(isInside)
        case .gt: return SQLFragment("\(greatest) > ?", [high])
        case .lt: return SQLFragment("\(row).low < ?", [low])
        case .ge: return SQLFragment("\(greatest) >= ?", [high])
        case .le: return SQLFragment("\(row).low <= ?", [low])
        case .sa: return SQLFragment("\(row).low > ?", [high])
        case .eb: return SQLFragment("\(greatest) < ?", [low])
        case .ap: return SQLFragment("(\(row).implicit_low < ? AND \(row).implicit_high > ?)", [end, begin])
        }
    }
}
