import AccessPolicy
import FHIR
import RecordStorage
import Storage

extension SQLFragment {
    /// Creates the condition of a filter on the row `r` of a type's record, for use in a larger statement.
    ///
    /// It agrees with ``AccessPolicy/RecordFilter/matches(_:)`` on the records' facts.
    ///
    /// - Throws: the store's errors, where the filter contains a scope's query, whose terms are looked up.
    package init(showing filter: RecordFilter, type: String, in transaction: any SQLTransaction) throws {
        self = try FilterCompiler(
            type: type, dialect: transaction.dialect, terms: StoredTerms(transaction: transaction)
        ).condition(filter)
    }
}

private struct FilterCompiler {
    let type: String
    let dialect: SQLDialect
    let terms: any SearchTerms

    func condition(_ filter: RecordFilter) throws -> SQLFragment {
        switch filter {
        case .everything: return .always
        case .nothing: return .never
        case .query(let query): return try met(query)
        case .type(let types): return types.contains(type) ? .always : .never
        case .typeOutside(let types): return types.contains(type) ? .never : .always
        case .owners(let patients): return owned(by: [patients])
        case .ownersOfOne(let groups): return owned(by: Array(groups))
        case .shared:
            return RecordFilter.sharedTypes.contains(type)
                ? SQLFragment("(r.subject IS NULL AND NOT EXISTS (" + rows(.owner) + "))") : .never
        case .confidentiality(let maximum): return confidential(upTo: maximum)
        case .sensitivities(let codes):
            return "NOT EXISTS ("
                + (codes.isEmpty ? SQLFragment(rows(.sensitivity)) : outside(.sensitivity, codes))
                + ")"
        case .all(let parts): return .all(try parts.map(condition))
        case .any(let parts): return any(try parts.map(condition))
        }
    }

    /// Returns the disjunction without repetitions: two parts of a grant may differ only in other types.
    private func any(_ conditions: [SQLFragment]) -> SQLFragment {
        var distinct: [SQLFragment] = []
        for condition in conditions
        where !distinct.contains(where: { $0.sql == condition.sql && $0.parameters == condition.parameters }) {
            distinct.append(condition)
        }
        return .any(distinct)
    }

    /// The query of a scope is a search of the type. It never matches a deleted record, whose row still has the former
    /// values.
    private func met(_ query: ScopeQuery) throws -> SQLFragment {
        guard let conditions = query.conditions(of: type) else { return .never }
        let predicates = try conditions.map { try SearchPredicate($0, terms: terms) }
        let found = SearchPredicate.every(predicates).condition(type: type, isFinding: false)
        return .all([SQLFragment("r.deleted = 0"), found])
    }

    /// A subject is the only owner. Without a subject, the rows contain the owners, and a single one of the groups must
    /// have all of them.
    private func owned(by groups: [Set<String>]) -> SQLFragment {
        let all = groups.count == 1 ? groups.first ?? [] : groups.reduce(into: []) { $0.formUnion($1) }
        guard !all.isEmpty else { return .never }
        let subject = isMember("r.subject", of: all)
        var ways: [SQLFragment] = []
        if groups.count == 1 {
            ways.append("NOT EXISTS (" + outside(.owner, all) + ")")
        } else {
            // A group of one patient has the records of one owner.
            ways.append(
                "(SELECT count(*) FROM (" + rows(.owner) + " LIMIT 2) o) = 1 AND EXISTS (" + inside(.owner, all) + ")")
            let several = groups.filter { $0.count > 1 }
            if !several.isEmpty { ways.append(ownedTogether(by: several)) }
        }
        return "(" + subject + " OR (r.subject IS NULL AND EXISTS (" + rows(.owner) + ") AND " + SQLFragment.any(ways)
            + "))"
    }

    /// Returns the condition that one of the groups has all owners in the rows. The groups are a single parameter.
    private func ownedTogether(by groups: [Set<String>]) -> SQLFragment {
        let sorted = groups.map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) }
        let json = JSON.array(sorted.map { .array($0.map { .string($0) }) })
        let (members, isMember) =
            dialect == .sqlite
            ? ("json_each(?)", "p.value IN (SELECT m.value FROM json_each(g.value) m)")
            : ("jsonb_array_elements(CAST(? AS jsonb))", "g.value @> to_jsonb(p.value)")
        return SQLFragment(
            "EXISTS (SELECT 1 FROM \(members) g WHERE NOT EXISTS (" + rows(.owner) + " AND NOT (\(isMember))))",
            [SQLValue(String(decoding: json.bytes(), as: UTF8.self))])
    }

    /// A record without a row has the assumed confidentiality.
    private func confidential(upTo maximum: Confidentiality) -> SQLFragment {
        let isWithRow = maximum < .assumed
        let ranks = Confidentiality.allCases.filter { isWithRow ? $0 <= maximum : $0 > maximum }
        guard !ranks.isEmpty else { return .always }
        let among = inside(.confidentiality, Set(ranks.map { String($0.rawValue) }))
        return (isWithRow ? "EXISTS (" : "NOT EXISTS (") + among + ")"
    }

    /// Returns the subquery of the record's rows of a kind; another condition may follow.
    private func rows(_ kind: RecordProtection.Kind) -> String {
        "SELECT 1 FROM record_protection p WHERE p.number = r.number AND p.kind = '\(kind.rawValue)'"
    }

    /// Returns the subquery of the record's rows of a kind whose value is one of several.
    private func inside(_ kind: RecordProtection.Kind, _ values: Set<String>) -> SQLFragment {
        rows(kind) + " AND " + isMember("p.value", of: values)
    }

    /// Returns the subquery of the record's rows of a kind whose value is none of several.
    private func outside(_ kind: RecordProtection.Kind, _ values: Set<String>) -> SQLFragment {
        rows(kind) + " AND NOT " + isMember("p.value", of: values)
    }

    /// Returns the condition that a column has one of several values. Equal filters have equal statements.
    ///
    /// SQLite searches a long list for the few rows that meet the other conditions, and makes no index of it.
    private func isMember(_ column: String, of values: Set<String>) -> SQLFragment {
        if dialect == .sqlite, values.count > SQLFragment.maximumPlaceholders,
            let list = OwnerLists.shared.sorted(values)
        {
            return SQLFragment("\(TextList.function)(?, \(column))", [SQLValue(list)])
        }
        return "(\(column) IN " + .list(values, in: dialect) + ")"
    }
}
