import AccessPolicy
import RecordStorage
import Storage

extension SQLFragment {
    /// Creates the condition of a filter on the row `r` of a type's record, for use in a larger statement.
    ///
    /// It agrees with ``AccessPolicy/RecordFilter/matches(_:)`` on the records' facts.
    ///
    /// - Throws: the store's errors, where the filter contains a scope's query, whose terms are looked up.
    package init(showing filter: RecordFilter, type: String, in transaction: any SQLTransaction) throws {
        var builder = FilterBuilder(type: type, terms: StoredTerms(transaction: transaction))
        let condition = try builder.condition(filter)
        self.init(condition, builder.parameters)
    }
}

private struct FilterBuilder {
    let type: String
    let terms: any SearchTerms
    var parameters: [SQLValue] = []

    static let always = "1 = 1"
    static let never = "1 = 0"

    mutating func condition(_ filter: RecordFilter) throws -> String {
        switch filter {
        case .everything: Self.always
        case .nothing: Self.never
        case .query(let query): try met(query)
        case .type(let types): types.contains(type) ? Self.always : Self.never
        case .owners(let patients): owned(by: patients)
        case .shared:
            RecordFilter.sharedTypes.contains(type)
                ? "(r.subject IS NULL AND NOT EXISTS (" + rows(.owner) + "))" : Self.never
        case .confidentiality(let maximum): confidential(upTo: maximum)
        case .sensitivities(let codes):
            "NOT EXISTS (" + rows(.sensitivity) + among(codes, isNegated: true) + ")"
        case .all(let parts): try joined(parts, by: " AND ")
        case .any(let parts): try joined(parts, by: " OR ")
        }
    }

    /// The query of a scope is a search of the type. It never matches a deleted record, whose row still has the former
    /// values.
    private mutating func met(_ query: ScopeQuery) throws -> String {
        guard let conditions = query.conditions(of: type) else { return Self.never }
        let predicates = try conditions.map { try SearchPredicate($0, terms: terms) }
        let found = SearchPredicate.every(predicates).condition(type: type, isFinding: false)
        parameters += found.parameters
        return "(r.deleted = 0 AND " + found.sql + ")"
    }

    private mutating func joined(_ parts: [RecordFilter], by word: String) throws -> String {
        var conditions: [String] = []
        for part in parts { conditions.append(try condition(part)) }
        return "(" + conditions.joined(separator: word) + ")"
    }

    /// A subject is the only owner. Without a subject, the rows contain the owners.
    private mutating func owned(by patients: Set<String>) -> String {
        guard !patients.isEmpty else { return Self.never }
        let subject = "r.subject IN " + list(patients)
        let several = "EXISTS (" + rows(.owner) + ") AND NOT EXISTS (" + rows(.owner)
        return "(\(subject) OR (r.subject IS NULL AND " + several
            + among(patients, isNegated: true) + ")))"
    }

    /// A record without a row has the assumed confidentiality.
    private mutating func confidential(upTo maximum: Confidentiality) -> String {
        let isWithRow = maximum < .assumed
        let ranks = Confidentiality.allCases.filter { isWithRow ? $0 <= maximum : $0 > maximum }
        guard !ranks.isEmpty else { return Self.always }
        return (isWithRow ? "EXISTS (" : "NOT EXISTS (") + rows(.confidentiality)
            + among(Set(ranks.map { String($0.rawValue) }), isNegated: false) + ")"
    }

    /// Returns the subquery of the record's rows of a kind; another condition may follow.
    private func rows(_ kind: RecordProtection.Kind) -> String {
        "SELECT 1 FROM record_protection p WHERE p.number = r.number AND p.kind = '\(kind.rawValue)'"
    }

    private mutating func among(_ values: Set<String>, isNegated: Bool) -> String {
        guard !values.isEmpty else { return isNegated ? "" : " AND " + Self.never }
        return " AND p.value \(isNegated ? "NOT IN" : "IN") " + list(values)
    }

    /// Returns the placeholders of the values in a fixed order, so that equal filters have equal statements.
    private mutating func list(_ values: Set<String>) -> String {
        parameters += values.sorted().map { SQLValue($0) }
        return "(" + repeatElement("?", count: values.count).joined(separator: ", ") + ")"
    }
}
