import Foundation
import Storage

/// One concept of a list.
package struct OntologyConcept: Sendable, Hashable {
    package let path: String
    package let name: String
    /// nil for a folder.
    package let code: String?
    /// `folder`, `numeric`, `text`, `choice`, `option`, or `dimension` for patients and visits.
    package let type: String
}

/// Queries the warehouse as i2b2's query engine does.
package struct WarehouseQuery: Sendable {
    package init() {}

    /// Returns all concepts by path.
    package func ontology(in transaction: any SQLTransaction) throws -> [OntologyConcept] {
        let below = PathPrefix(ConceptPath.root, column: "c_fullname", dialect: transaction.dialect)
        return try transaction.query(
            """
            SELECT c_fullname, c_name, c_basecode, c_comment FROM custom_meta
            WHERE \(below.condition) AND c_synonym_cd = 'N' AND m_applied_path = '@'
            ORDER BY c_fullname \(transaction.dialect.bytewise)
            """, below.parameters
        ).map { row in
            OntologyConcept(
                path: try row.text("c_fullname"), name: try row.text("c_name"), code: row.textIfPresent("c_basecode"),
                type: row.textIfPresent("c_comment") ?? "folder")
        }
    }

    /// Returns the concepts with facts of the selected patients, and the folders above them.
    package func usedOntology(
        among patients: PatientSelection = .all, in transaction: any SQLTransaction
    ) throws -> [OntologyConcept] {
        let (sql, parameters) = Self.usedStatement(among: patients, dialect: transaction.dialect)
        var used: Set<String> = []
        try transaction.each(sql, parameters) { row in
            var path: String? = try row.text("concept_path")
            while let present = path, used.insert(present).inserted { path = ConceptPath.parent(of: present) }
        }
        return try ontology(in: transaction).filter { used.contains($0.path) }
    }

    static func usedStatement(
        among patients: PatientSelection = .all, dialect: SQLDialect
    ) -> (sql: String, parameters: [SQLValue]) {
        let below = PathPrefix(ConceptPath.root, column: "c.concept_path", dialect: dialect)
        var condition = "f.concept_cd = c.concept_cd"
        if dialect == .postgresql {
            condition += " AND f.patient_num IN (SELECT w.patient_num FROM warehouse_patient w)"
        }
        if let selection = patients.condition { condition += " AND f." + selection }
        return (
            """
            SELECT c.concept_path FROM concept_dimension c WHERE \(below.condition)
                AND EXISTS (SELECT 1 FROM observation_fact f WHERE \(condition))
            """, below.parameters + patients.parameters
        )
    }

    /// The number of patients, and of their facts.
    package struct Count: Sendable, Hashable {
        package let patients: Int
        /// The number of matching facts, without their modifiers.
        package let facts: Int
    }

    /// Counts the patients that a path selects, and their facts.
    ///
    /// - Parameters:
    ///   - path: the path as the ontology lists it, or as i2b2's clients write it, with the table before it
    ///     (`\\TRIBUTARY\Tributary\`).
    ///   - from: inclusive; `to`: exclusive. Facts' start dates are in UTC.
    ///   - patients: the patients that may be counted.
    /// - Throws: ``UnknownPath`` for a path that the ontology does not have.
    package func count(
        path: String, value: ValueConstraint?, from: Date?, to: Date?, among patients: PatientSelection = .all,
        in transaction: any SQLTransaction
    ) throws -> Count {
        try CohortQuery([CountTerm(path: path, value: value, from: from, to: to)], among: patients)
            .count(in: transaction)
    }

    static func statement(
        _ selection: PathSelection, value: ValueConstraint?, from: Date?, to: Date?,
        among patients: PatientSelection = .all, dialect: SQLDialect
    ) -> (sql: String, parameters: [SQLValue]) {
        let query = CohortQuery([CountTerm(path: "", value: value, from: from, to: to)], among: patients)
            .statement([selection], dialect: dialect)
        return (query.sql, query.parameters)
    }
}
