import Core
import Foundation
import Storage

/// A property by which the patients of a count are divided.
package enum CountGrouping: String, Sendable, Hashable, CaseIterable {
    /// `sex_cd` of the patient: F, M, O or U.
    case sex
    /// Ten years of age at the last load (`0-9` to `80-89`, `90+`), or `unknown`.
    case age
    /// The month of the facts in UTC, `2026-01`. A patient counts in each month in which they have a fact.
    case month

    fileprivate func column(_ dialect: SQLDialect) -> String {
        switch self {
        case .sex: "COALESCE(p.sex_cd, 'U')"
        case .age: "CASE WHEN p.age_in_years_num >= 90 THEN 9 ELSE p.age_in_years_num / 10 END"
        case .month: dialect.word(sqlite: "substr(f.start_date, 1, 7)", postgresql: "to_char(f.start_date, 'YYYY-MM')")
        }
    }

    fileprivate func text(_ row: SQLRow) -> String {
        guard self == .age else { return row.textIfPresent(rawValue) ?? "unknown" }
        guard let decade = row.integerIfPresent(rawValue) else { return "unknown" }
        return decade >= 9 ? "90+" : "\(decade * 10)-\(decade * 10 + 9)"
    }
}

/// The patients who meet several conditions, as i2b2's query tool combines its panels, and their number.
///
/// The counted facts are those of the first condition; the others select patients, or encounters.
package struct CohortQuery: Sendable, Hashable {
    /// Maximum number of conditions.
    package static let maximumTerms = 20
    /// Maximum number of participants in ``listed``.
    package static let maximumListed = 1_000_000

    /// The conditions. All of them must be met.
    package let terms: [CountTerm]
    /// Whether one encounter must meet all conditions. Otherwise each may be met in another one.
    package let isSameEncounter: Bool
    /// The patients that may be counted.
    package let patients: PatientSelection
    /// Ids of the only participants that may be counted; nil for all.
    package let listed: [String]?

    /// - Parameter terms: 1 to ``maximumTerms`` conditions.
    package init(
        _ terms: [CountTerm], isSameEncounter: Bool = false, among patients: PatientSelection = .all,
        listed: [String]? = nil
    ) {
        (self.terms, self.isSameEncounter) = (terms, isSameEncounter)
        (self.patients, self.listed) = (patients, listed)
    }

    /// The count of one group.
    package struct Group: Sendable, Hashable {
        /// The values of the requested groupings, in their order.
        package let values: [String]
        package let count: WarehouseQuery.Count
    }

    /// Counts the patients, and their facts of the first condition.
    ///
    /// - Throws: ``UnknownPath`` for a path that the ontology does not have.
    package func count(in transaction: any SQLTransaction) throws -> WarehouseQuery.Count {
        let query = statement(try selections(in: transaction), dialect: transaction.dialect)
        return try WarehouseQuery.Count(transaction.first(query.sql, query.parameters))
    }

    /// Counts the patients of each group, in the order of the groups' values.
    ///
    /// - Throws: ``UnknownPath`` for a path that the ontology does not have.
    package func groups(by groupings: [CountGrouping], in transaction: any SQLTransaction) throws -> [Group] {
        let query = statement(try selections(in: transaction), by: groupings, dialect: transaction.dialect)
        return try transaction.query(query.sql, query.parameters).map { row in
            Group(values: groupings.map { $0.text(row) }, count: try WarehouseQuery.Count(row))
        }.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }

    /// Calls the closure with the id of each counted participant, in the order of the ids.
    ///
    /// - Throws: ``UnknownPath`` for a path that the ontology does not have; errors of `body`.
    package func eachParticipant(in transaction: any SQLTransaction, _ body: (String) throws -> Void) throws {
        let query = participantsStatement(try selections(in: transaction), dialect: transaction.dialect)
        try transaction.each(query.sql, query.parameters) { try body($0.text("participant")) }
    }

    // MARK: - SQL

    func selections(in transaction: any SQLTransaction) throws -> [PathSelection] {
        try terms.map { try PathSelection(path: $0.path, in: transaction) }
    }

    /// Returns the statement that counts.
    ///
    /// - Parameter selections: those of the terms, in their order.
    func statement(
        _ selections: [PathSelection], by groupings: [CountGrouping] = [], dialect: SQLDialect
    ) -> SQLQuery {
        let (condition, parameters) = factCondition(selections, dialect: dialect)
        let counts = """
            count(DISTINCT f.patient_num) AS patients, count(CASE WHEN f.modifier_cd = '@' THEN 1 END) AS facts
            """
        guard !groupings.isEmpty else {
            return SQLQuery("SELECT \(counts) FROM observation_fact f WHERE \(condition)", parameters)
        }
        let columns = groupings.map { "\($0.column(dialect)) AS \($0.rawValue)" }.joined(separator: ", ")
        let keys = groupings.indices.map { "\($0 + 1)" }.joined(separator: ", ")
        return SQLQuery(
            """
            SELECT \(columns), \(counts)
            FROM (SELECT patient_num, modifier_cd, start_date FROM observation_fact WHERE \(condition)) f
            LEFT JOIN patient_dimension p ON p.patient_num = f.patient_num GROUP BY \(keys)
            """, parameters)
    }

    func participantsStatement(_ selections: [PathSelection], dialect: SQLDialect) -> SQLQuery {
        let (condition, parameters) = factCondition(selections, dialect: dialect)
        return SQLQuery(
            """
            SELECT w.participant FROM warehouse_patient w
            WHERE w.patient_num IN (SELECT patient_num FROM observation_fact WHERE \(condition))
            ORDER BY w.participant \(dialect.bytewise)
            """, parameters)
    }

    /// Returns the condition on the rows of `observation_fact` that are counted.
    private func factCondition(
        _ selections: [PathSelection], dialect: SQLDialect
    ) -> (condition: String, parameters: [SQLValue]) {
        var conditions: [String] = []
        var parameters: [SQLValue] = []
        func add(_ part: (condition: String, parameters: [SQLValue])) {
            conditions.append(part.condition)
            parameters += part.parameters
        }
        for (index, (term, selection)) in zip(terms, selections).enumerated() {
            let own = term.sql(selection, dialect: dialect)
            // A property of the patient holds in each of their encounters.
            guard index > 0, !(term.isOfPathOnly && selection.isOfPatients) else {
                add(own)
                continue
            }
            let key = isSameEncounter ? "encounter_num" : "patient_num"
            add(("\(key) IN (SELECT \(key) FROM observation_fact WHERE \(own.condition))", own.parameters))
        }
        // A hospital's tables contain facts of other patients, with the same codes.
        if dialect == .postgresql {
            add(("patient_num IN (SELECT w.patient_num FROM warehouse_patient w)", []))
        }
        if let condition = patients.condition { add((condition, patients.parameters)) }
        if let listed {
            let ids = dialect.word(
                sqlite: "SELECT value FROM json_each(?)",
                postgresql: "SELECT jsonb_array_elements_text(CAST(? AS jsonb))")
            let json = JSON.array(listed.map { .string($0) }).text()
            add(
                (
                    "patient_num IN (SELECT w.patient_num FROM warehouse_patient w WHERE w.participant IN (\(ids)))",
                    [SQLValue(json)]
                ))
        }
        return (conditions.joined(separator: " AND "), parameters)
    }
}

extension PathSelection {
    /// Whether the selection is one of patients, by a property that does not depend on an encounter.
    fileprivate var isOfPatients: Bool {
        if case .dimension(let selection) = self { selection.table.factColumn == "patient_num" } else { false }
    }
}

extension WarehouseQuery.Count {
    fileprivate init(_ row: SQLRow?) throws {
        self.init(patients: Int(try row?.integer("patients") ?? 0), facts: Int(row?.integerIfPresent("facts") ?? 0))
    }
}

extension WarehouseQuery {
    /// Returns the ids of the participants in i2b2's tables that a selection includes.
    package func participants(
        among patients: PatientSelection, in transaction: any SQLTransaction
    ) throws -> Set<String> {
        let condition = patients.condition.map { " WHERE " + $0 } ?? ""
        var ids: Set<String> = []
        try transaction.each("SELECT participant FROM warehouse_patient\(condition)", patients.parameters) {
            ids.insert(try $0.text("participant"))
        }
        return ids
    }
}
