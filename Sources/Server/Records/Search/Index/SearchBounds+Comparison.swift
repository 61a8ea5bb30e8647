import Storage

extension SearchBounds {
    /// Whether a row of entries, by its alias, has bounds that compare so with a number
    /// (<https://hl7.org/fhir/R4/search.html#number>), as ``SearchNumber/matches(_:_:)`` compares.
    static func compare(_ prefix: SearchPrefix, _ asked: SearchNumber, _ row: String) -> SQLFragment {
        guard asked.low != nil, asked.high != nil, asked.implicitLow != nil, asked.implicitHigh != nil else {
            return .never
        }
        let bounds = SearchBounds(asked)
        let (low, high) = (SQLValue(bounds.low), SQLValue(bounds.high))
        let (begin, end) = (SQLValue(bounds.implicitLow), SQLValue(bounds.implicitHigh))
        switch prefix {
        case .eq, .ne:
            let isInside = SQLFragment(
                "(\(row).implicit_low >= ? AND (\(row).implicit_high < ?"
                    + " OR (\(row).implicit_high = ? AND \(row).high <> \(row).implicit_high)))", [begin, end, end])
            guard prefix == .eq else { return .not(isInside) }
            // The number lies between its implicit bounds: the index of numbers finds it.
            return .all([SQLFragment("\(row).low >= ? AND \(row).low <= ?", [begin, end]), isInside])
        case .gt: return SQLFragment("\(row).high > ?", [high])
        case .lt: return SQLFragment("\(row).low < ?", [low])
        case .ge: return SQLFragment("\(row).high >= ?", [high])
        case .le: return SQLFragment("\(row).low <= ?", [low])
        case .sa: return SQLFragment("\(row).low > ?", [high])
        case .eb: return SQLFragment("\(row).high < ?", [low])
        case .ap: return SQLFragment("(\(row).implicit_low < ? AND \(row).implicit_high > ?)", [end, begin])
        }
    }
}
