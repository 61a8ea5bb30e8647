import Foundation
import Storage

/// Adds concepts to the ontology and the concept dimension. Existing concepts are kept, and none is removed.
///
/// `custom_meta` alone is sufficient: i2b2's `insert_concept_dimension_fromtableaccess` empties the concept dimension
/// and fills it from there, so each row of one has its row in the other.
struct OntologyWriter {
    let transaction: any SQLTransaction
    let at: Date

    static let table = "custom_meta"
    static let source = "TRIBUTARY"
    /// `c_table_cd` of our ontology.
    static let tableAccess = "TRIBUTARY"
    /// The end of a scheme's description, after its name.
    static let schemeDescription = " codes"

    /// The concepts that exist before any form or type.
    private static let foundation =
        [
            Concept(path: ConceptPath.root, code: nil, name: "Tributary", kind: .folder),
            Concept(path: ConceptPath.surveys, code: nil, name: "Surveys", kind: .folder),
            Concept(path: ConceptPath.health, code: nil, name: "Health data", kind: .folder),
            Concept(path: ConceptPath.codes, code: nil, name: "Codes of terminologies", kind: .folder),
        ] + DimensionConcepts.foundation

    /// A hash of the whole foundation, so that the foundation of an older version is completed.
    private static let foundationDigest: String = {
        let times = FactTime.Source.allCases.filter(\.hasModifier).map(\.rawValue)
        let modifiers = times + FactModifier.allCases.map(\.rawValue)
        let codes = ConceptCode.prefixes.values.sorted() + DimensionCode.all.map(\.digestText)
        return ConceptCode.hash((foundation.map(\.path) + modifiers + codes).joined(separator: "\u{1}"), 64)
    }()

    /// Writes the root, the folders below it, the schemes and the modifiers. Idempotent.
    func ensureFoundation() throws {
        let digest = SQLValue(Self.foundationDigest)
        guard try transaction.first("SELECT 1 AS one FROM ontology_form WHERE digest = ?", [digest]) == nil else {
            return
        }
        try transaction.execute("INSERT INTO ontology_form (digest) VALUES (?)", [digest])
        try ensure(Self.foundation)
        try ensureTableAccess()
        for prefix in Set(ConceptCode.prefixes.values).union(["SURVEY"]).sorted() {
            try ensureScheme(prefix)
        }
        for source in FactTime.Source.allCases where source.hasModifier {
            try ensureModifier(
                source.rawValue, path: "\\Tributary time\\" + source.rawValue.split(separator: ":")[1] + "\\",
                name: source.title)
        }
        for modifier in FactModifier.allCases {
            try ensureModifier(modifier.rawValue, path: modifier.path, name: modifier.title)
        }
        try ensureProvider()
        for code in DimensionCode.all { try ensure(code) }
    }

    /// Deletes all rows that are ours, so that they can be made again.
    ///
    /// - Returns: the number of deleted rows by i2b2's tables.
    @discardableResult
    static func removeAll(in transaction: any SQLTransaction) throws -> [String: Int] {
        var removed: [String: Int] = [:]
        for rows in OwnRows.ofOntology(transaction.dialect) { removed[rows.table] = try rows.delete(in: transaction) }
        for table in ["ontology_form", "warehouse_concept", "warehouse_scheme"] {
            try transaction.execute("DELETE FROM \(table)")
        }
        return removed
    }

    private func ensureTableAccess() throws {
        let known = try transaction.first(
            "SELECT 1 AS one FROM table_access WHERE c_table_cd = ?", [SQLValue(Self.tableAccess)])
        guard known == nil else { return }
        // If another ontology were in the same table, i2b2 would fill the concept dimension twice from it.
        let table = try WarehouseLocation.isOfOthers(in: transaction) ? WarehouseLocation.ontologyView : Self.table
        try transaction.execute(
            """
            INSERT INTO table_access (c_table_cd, c_table_name, c_protected_access, c_hlevel, c_fullname, c_name,
                c_synonym_cd, c_visualattributes, c_facttablecolumn, c_dimtablename, c_columnname, c_columndatatype,
                c_operator, c_dimcode, c_tooltip, c_entry_date)
            VALUES (?, ?, 'N', 0, ?, 'Tributary', 'N', 'CA ', 'concept_cd', 'concept_dimension',
                'concept_path', 'T', 'LIKE', ?, 'Tributary', ?)
            """,
            [
                SQLValue(Self.tableAccess), SQLValue(table), SQLValue(ConceptPath.root),
                SQLValue(ConceptPath.root), WarehouseTime.value(at),
            ])
    }

    private func ensureModifier(_ code: String, path: String, name: String) throws {
        try transaction.execute(
            """
            INSERT INTO modifier_dimension (modifier_path, modifier_cd, name_char, update_date, import_date,
                sourcesystem_cd) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                SQLValue(path), SQLValue(code), SQLValue(name), WarehouseTime.value(at), WarehouseTime.value(at),
                SQLValue(Self.source),
            ])
    }

    /// Inserts i2b2's code for "no provider", which all facts have.
    private func ensureProvider() throws {
        try transaction.execute(
            """
            INSERT INTO provider_dimension (provider_id, provider_path, name_char, update_date, import_date,
                sourcesystem_cd) VALUES ('@', ?, 'No provider', ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                SQLValue(ConceptPath.root + "No provider\\"), WarehouseTime.value(at), WarehouseTime.value(at),
                SQLValue(Self.source),
            ])
    }

    private func ensure(_ code: DimensionCode) throws {
        try transaction.execute(
            """
            INSERT INTO code_lookup (table_cd, column_cd, code_cd, name_char, update_date, import_date, sourcesystem_cd)
            VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                SQLValue(code.table), SQLValue(code.column), SQLValue(code.code), SQLValue(code.name),
                WarehouseTime.value(at), WarehouseTime.value(at), SQLValue(Self.source),
            ])
    }

    /// Adds the concepts of a form, once.
    func ensure(_ form: SurveyConcepts) throws {
        let digest = SQLValue(form.digest)
        guard try transaction.first("SELECT 1 AS one FROM ontology_form WHERE digest = ?", [digest]) == nil else {
            return
        }
        try ensure(form.concepts, below: form.folder.path)
        try ensure(form.terminologyConcepts)
        try transaction.execute("INSERT INTO ontology_form (digest) VALUES (?)", [digest])
    }

    /// Adds concepts below a folder, parents first, with one query for the existing ones.
    func ensure(_ concepts: [Concept], below folder: String) throws {
        var known: [String: String] = [:]
        let statement = Self.known(below: folder, dialect: transaction.dialect)
        try transaction.each(statement.sql, statement.parameters) { row in
            guard try row.text("m_applied_path") == "@" else { return }
            known[try row.text("c_fullname")] = row.textIfPresent("c_basecode") ?? ""
        }
        try ensure(concepts, known: known)
    }

    /// Adds concepts, parents first, with one query for many of them.
    func ensure(_ concepts: [Concept]) throws {
        var known: [String: String] = [:]
        var rest = concepts.map(\.path)[...]
        while let last = rest.last {
            // The last path fills the remaining placeholders.
            let asked = Array(rest.prefix(Self.askedTogether))
            rest = rest.dropFirst(asked.count)
            let filled = asked + Array(repeating: last, count: Self.askedTogether - asked.count)
            try transaction.each(Self.knownSQL, filled.map { SQLValue($0) }) { row in
                known[try row.text("c_fullname")] = row.textIfPresent("c_basecode") ?? ""
            }
        }
        try ensure(concepts, known: known)
    }

    static let askedTogether = 100
    /// Parameters: paths.
    static let knownSQL = """
        SELECT c_fullname, c_basecode FROM custom_meta
        WHERE c_fullname IN (\(repeatElement("?", count: askedTogether).joined(separator: ", "))) AND m_applied_path = '@'
        """

    /// - Parameter present: the codes of the existing paths, empty if they have none.
    private func ensure(_ concepts: [Concept], known present: [String: String]) throws {
        var known = present
        var new: [Concept] = []
        for concept in concepts {
            guard let code = known[concept.path] else {
                known[concept.path] = concept.code ?? ""
                new.append(concept)
                continue
            }
            if concept.code == nil || concept.code == code { continue }
            // The concept may change one of the new ones.
            try insert(new)
            new = []
            try ensure(concept)
            if code.isEmpty { known[concept.path] = concept.code }
        }
        try insert(new)
    }

    /// Returns the query for the concepts below a folder. The condition uses only the paths: with the column of
    /// modifiers too, SQLite would use the index of that column, which all concepts share, and scan the whole
    /// ontology.
    static func known(below folder: String, dialect: SQLDialect) -> (sql: String, parameters: [SQLValue]) {
        let prefix = PathPrefix(folder, column: "c_fullname", dialect: dialect)
        return (
            "SELECT c_fullname, c_basecode, m_applied_path FROM custom_meta WHERE \(prefix.condition)",
            prefix.parameters
        )
    }

    /// Adds a concept unless it exists.
    ///
    /// A folder that turns out to be a question becomes one. If the path has another code (a later version of a form
    /// has a new code for its question), the concept is added below it: a query of the path then finds the facts of
    /// both.
    func ensure(_ concept: Concept) throws {
        let known = try transaction.first(
            "SELECT c_basecode FROM custom_meta WHERE c_fullname = ? AND m_applied_path = '@'", [SQLValue(concept.path)]
        )
        guard let known else { return try insert([concept]) }
        guard let code = concept.code else { return }
        switch known.textIfPresent("c_basecode") {
        case code: return
        case nil:
            try transaction.execute(
                """
                UPDATE custom_meta SET c_basecode = ?, c_metadataxml = ?, c_comment = ?, c_name = ?, c_tooltip = ?
                WHERE c_fullname = ? AND m_applied_path = '@'
                """,
                [
                    SQLValue(code), SQLValue(MetadataXML.text(for: concept, at: at)), SQLValue(concept.kind.name),
                    SQLValue(Self.name(concept, 2000)), SQLValue(Self.name(concept, 900)), SQLValue(concept.path),
                ])
            try insertDimensions([concept])
        default:
            let path = ConceptPath.child(of: concept.path, "also-" + ConceptCode.hash(code, 6))
            try ensure(Concept(path: path, code: code, name: concept.name, kind: concept.kind))
        }
    }

    /// Adds the concept that a fact uses, if the ontology lacks it.
    func ensure(_ use: ConceptUse) throws {
        switch use.position {
        case .health(let terminologyCode):
            if let path = try healthPath(of: use.code) { return try refine(path, by: use) }
            try ensure(Concept(path: Self.others, code: nil, name: "Other", kind: .folder))
            let path = ConceptPath.child(of: Self.others, ConceptPath.segment(use.code))
            let concept = Concept(path: path, code: use.code, name: use.name, kind: use.kind)
            try ensure(concept)
            guard let terminologyCode else { return }
            for copy in terminologyCode.concepts(of: concept, segment: Self.otherSegment) { try ensure(copy) }
        case .below(let parent, let segment):
            for path in try paths(of: parent) {
                try ensure(
                    Concept(
                        path: ConceptPath.child(of: path, segment), code: use.code, name: use.name, kind: use.kind))
            }
        }
    }

    /// The folder of codes of terminologies that no type has.
    private static let others = ConceptPath.health + "Other\\"

    /// Refines the kind of a concept outside of the type table, which is known only from its facts. A numeric kind
    /// takes precedence, and of several units the first in the alphabet, so that the order of arrival does not matter.
    private func refine(_ path: String, by use: ConceptUse) throws {
        let known =
            try !path.hasPrefix(Self.others)
            ? nil
            : transaction.first(
                """
                SELECT c_comment, c_metadataxml FROM custom_meta WHERE c_fullname = ? AND m_applied_path = '@'
                """, [SQLValue(path)])
        guard let known, let name = known.textIfPresent("c_comment") else { return }
        let present = Self.weight(name, units: known.textIfPresent("c_metadataxml").flatMap(MetadataXML.units))
        var units: String?
        if case .numeric(let named) = use.kind { units = named }
        guard present < Self.weight(use.kind.name, units: units) else { return }
        for conceptPath in try paths(of: use.code) {
            let concept = Concept(path: conceptPath, code: use.code, name: use.name, kind: use.kind)
            // A form with the same code defines its concept itself.
            guard conceptPath.hasPrefix(Self.others) || conceptPath.hasSuffix("\\" + Self.otherSegment + "\\")
            else { continue }
            try transaction.execute(
                "UPDATE custom_meta SET c_metadataxml = ?, c_comment = ? WHERE c_fullname = ? AND m_applied_path = '@'",
                [
                    SQLValue(MetadataXML.text(for: concept, at: at)), SQLValue(use.kind.name), SQLValue(conceptPath),
                ])
        }
    }

    /// The segment of a code without a type, in the folder of the code.
    private static let otherSegment = "Health Other"

    private struct Weight: Comparable {
        let kind: Int
        let units: String?

        static func < (left: Weight, right: Weight) -> Bool {
            if left.kind != right.kind { return left.kind < right.kind }
            guard let more = right.units else { return false }
            return left.units.map { more < $0 } ?? true
        }
    }

    private static func weight(_ kind: String, units: String?) -> Weight {
        switch kind {
        case "numeric": Weight(kind: 2, units: units)
        case "choice": Weight(kind: 1, units: nil)
        default: Weight(kind: 0, units: nil)
        }
    }

    /// Returns the path of a concept with the code in the health folder.
    func healthPath(of code: String) throws -> String? {
        try paths(of: code).first { $0.hasPrefix(ConceptPath.health) }
    }

    /// Returns all paths of concepts with the code.
    private func paths(of code: String) throws -> [String] {
        try transaction.query(
            "SELECT concept_path FROM warehouse_concept WHERE concept_cd = ? ORDER BY concept_path", [SQLValue(code)]
        ).compactMap { $0.textIfPresent("concept_path") }
    }

    func ensureScheme(_ prefix: String) throws {
        let key = SQLValue(prefix + ":")
        let added = try transaction.execute(
            "INSERT INTO schemes (c_key, c_name, c_description) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [key, SQLValue(prefix), SQLValue(prefix + Self.schemeDescription)])
        guard added > 0 else { return }
        try transaction.execute("INSERT INTO warehouse_scheme (c_key) VALUES (?) ON CONFLICT DO NOTHING", [key])
    }

    static func name(_ concept: Concept, _ length: Int) -> String {
        String(String.UnicodeScalarView(concept.name.unicodeScalars.prefix(length)))
    }
}
