import FHIR
import FHIRSearch
import RecordStorage
import Storage

/// The sort values of a type's records, as SQL on the row `r`: one value for each key of an order, null where the
/// record has none.
struct SearchOrderStatement {
    let values: [SQLFragment]
    private let first: (layout: SearchLayout, index: Int)?

    /// - Throws: ``SearchConditionError`` for a parameter that the type does not have.
    init(_ order: SearchOrder, of type: String) throws {
        guard let layout = SearchLayout.of(type) else { throw SearchConditionError.unknownParameter(type) }
        let indices = try order.keys.map { key in
            guard let index = layout.tree.index(of: SearchAlias.published(key.code, of: type)) else {
                throw SearchConditionError.unknownParameter(type)
            }
            return index
        }
        first = indices.first.map { (layout, $0) }
        values = zip(order.keys, indices).map { key, index in
            Builder(layout: layout, choice: key.isDescending ? "max" : "min").value(index)
        }
    }

    /// Returns the indexed column of the row `r` that has the first key's value for all records of the type; nil where
    /// there is none.
    func column(in transaction: any SQLTransaction) throws -> String? {
        guard let first else { return nil }
        switch first.layout.locations[first.index] {
        case .lastUpdated: return "r.updated_ms"
        case .time:
            // The column is incomplete if any record has times outside of its row.
            let terms = try StoredTerms(transaction: transaction).numbers(
                where: SQLFragment(
                    "c.type = ? AND c.parameter = ?",
                    [SQLValue(first.layout.tree.type), SQLValue(first.layout.tree.parameters[first.index].code)]),
                limit: 0)
            return terms == nil ? nil : "r.date_low"
        case .id, .subject, .union, .entries, .composite: return nil
        }
    }

    private struct Builder {
        let layout: SearchLayout
        /// The aggregate function that selects one of several values.
        let choice: String

        private var type: SQLValue { SQLValue(layout.tree.type) }

        private func name(_ index: Int, _ aspect: SearchTerm.Aspect = .plain) -> SQLValue {
            SQLValue(layout.tree.parameters[index].code + aspect.rawValue)
        }

        func value(_ index: Int) -> SQLFragment {
            switch layout.locations[index] {
            case .id: return SQLFragment("r.id")
            case .lastUpdated: return SQLFragment("r.updated_ms")
            case .time: return "coalesce(r.date_low, " + entries(index) + ")"
            case .subject:
                let isSubject = SQLFragment(
                    "NOT EXISTS (SELECT 1 FROM record_term e JOIN search_term c ON c.number = e.term"
                        + " WHERE e.number = r.number AND c.type = ? AND c.parameter = ?)",
                    [type, name(index, .differing)])
                return "coalesce(" + entries(index) + ", CASE WHEN " + isSubject
                    + " THEN substr('\(Patient.resourceType)/' || r.subject, 1, \(SearchOrder.longestText)) END)"
            case .union(let indices):
                guard indices.count > 1 else { return indices.first.map(value) ?? SQLFragment("NULL") }
                let all = SQLFragment.joined(indices.map { value($0) + " AS value" }, by: " UNION ALL SELECT ")
                return "(SELECT \(choice)(u.value) FROM (SELECT " + all + ") u)"
            case .entries, .composite: return entries(index)
            }
        }

        private func entries(_ index: Int) -> SQLFragment {
            let own = SQLFragment(
                "e.number = r.number AND e.term IN (SELECT c.number FROM search_term c WHERE c.type = ? AND c.parameter = ?)",
                [type, name(index)])
            switch layout.tree.parameters[index].kind {
            case .string:
                return "(SELECT \(choice)(\(shortened("e.folded"))) FROM record_text e WHERE " + own + ")"
            case .date: return "(SELECT \(choice)(e.low) FROM record_time e WHERE " + own + ")"
            case .number, .quantity: return "(SELECT \(choice)(e.low) FROM record_number e WHERE " + own + ")"
            case .reference:
                return SQLFragment(
                    "(SELECT \(choice)("
                        + shortened("CASE WHEN c.parameter = ? THEN c.code ELSE c.system || '/' || c.code END")
                        + ") FROM record_term e JOIN search_term c ON c.number = e.term"
                        + " WHERE e.number = r.number AND c.type = ? AND c.parameter IN (?, ?, ?))",
                    [
                        name(index, .url), type, name(index), name(index, .remote), name(index, .url),
                    ])
            default:
                return SQLFragment(
                    "(SELECT \(choice)(\(shortened("c.code"))) FROM record_term e JOIN search_term c ON c.number = e.term"
                        + " WHERE e.number = r.number AND c.type = ? AND c.parameter IN (?, ?) AND c.code <> '')",
                    [type, name(index), name(index, .lowercase)])
            }
        }

        private func shortened(_ text: String) -> String { "substr(\(text), 1, \(SearchOrder.longestText))" }
    }
}

extension SearchOrder {
    /// Returns the column of a selected sort value.
    package static func column(_ index: Int) -> String { "sort_\(index)" }

    /// Returns the columns of `ORDER BY`: records without a value come last, and equal records are ordered by number.
    package func columns(of row: String) -> String {
        (keys.enumerated().flatMap { index, key in
            let column = row + "." + Self.column(index)
            return ["CASE WHEN \(column) IS NULL THEN 1 ELSE 0 END", column + (key.isDescending ? " DESC" : "")]
        } + [row + ".number"]).joined(separator: ", ")
    }

    /// Returns a condition on the rows after a cursor.
    package func condition(after cursor: PageCursor, in row: String) -> SQLFragment {
        var ways: [SQLFragment] = []
        var equal: [SQLFragment] = []
        for (index, (key, value)) in zip(keys, cursor.values).enumerated() {
            let column = row + "." + Self.column(index)
            if let bound = value.bound {
                let comparison = SQLFragment(
                    "(\(column) \(key.isDescending ? "<" : ">") ? OR \(column) IS NULL)", [bound])
                ways.append(.joined(equal + [comparison], by: " AND "))
                equal.append(SQLFragment("\(column) = ?", [bound]))
            } else {
                equal.append(SQLFragment("\(column) IS NULL"))
            }
        }
        ways.append(.joined(equal + [SQLFragment("\(row).number > ?", [SQLValue(cursor.number)])], by: " AND "))
        return .any(ways.map { "(" + $0 + ")" })
    }

    /// Returns the cursor of a row.
    package func cursor(of row: SQLRow) throws -> PageCursor {
        PageCursor(
            values: keys.indices.map { index in
                switch row[Self.column(index)] {
                case .integer(let number): .integer(number)
                case .real(let number): .real(number)
                case .text(let text): .text(text)
                case .null, .blob: .none
                }
            }, number: try row.integer("number"))
    }
}

extension PageCursor.Value {
    /// The value as a parameter; nil for none.
    package var bound: SQLValue? {
        switch self {
        case .none: nil
        case .integer(let number): SQLValue(number)
        case .real(let number): SQLValue(number)
        case .text(let text): SQLValue(text)
        }
    }
}
