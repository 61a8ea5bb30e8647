import Foundation
import Storage

/// Writes concepts into the ontology and the concept dimension. What is there stays; nothing is removed.
struct OntologyWriter {
    let transaction: any SQLTransaction
    let at: Date

    static let table = "custom_meta"
    static let source = "TRIBUTARY"

    /// Writes the root, the folders under it, the schemes and the modifiers. Idempotent.
    func ensureFoundation() throws {
        guard
            try transaction.first("SELECT 1 AS one FROM table_access WHERE c_table_cd = ?", [SQLValue("TRIBUTARY")])
                == nil
        else { return }
        try ensure(Concept(path: ConceptPath.root, code: nil, name: "Tributary", kind: .folder))
        try ensure(Concept(path: ConceptPath.root + "Surveys\\", code: nil, name: "Surveys", kind: .folder))
        try ensure(Concept(path: ConceptPath.root + "Health\\", code: nil, name: "Health data", kind: .folder))
        try transaction.execute(
            """
            INSERT INTO table_access (c_table_cd, c_table_name, c_protected_access, c_hlevel, c_fullname, c_name,
                c_synonym_cd, c_visualattributes, c_facttablecolumn, c_dimtablename, c_columnname, c_columndatatype,
                c_operator, c_dimcode, c_tooltip, c_entry_date)
            VALUES ('TRIBUTARY', ?, 'N', 0, ?, 'Tributary', 'N', 'CA ', 'concept_cd', 'concept_dimension',
                'concept_path', 'T', 'LIKE', ?, 'Tributary', ?)
            """,
            [
                SQLValue(Self.table), SQLValue(ConceptPath.root), SQLValue(ConceptPath.root), WarehouseTime.value(at),
            ])
        for prefix in Set(ConceptCode.prefixes.values).union(["SURVEY"]).sorted() {
            try ensureScheme(prefix)
        }
        for source in FactTime.Source.allCases {
            try transaction.execute(
                """
                INSERT INTO modifier_dimension (modifier_path, modifier_cd, name_char, update_date, import_date,
                    sourcesystem_cd) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    SQLValue("\\Tributary time\\" + source.rawValue.split(separator: ":")[1] + "\\"),
                    SQLValue(source.rawValue), SQLValue(source.title), WarehouseTime.value(at), WarehouseTime.value(at),
                    SQLValue(Self.source),
                ])
        }
    }

    /// Writes a concept unless its path is there.
    func ensure(_ concept: Concept) throws {
        let known = try transaction.first(
            "SELECT c_basecode FROM custom_meta WHERE c_fullname = ? AND m_applied_path = '@'", [SQLValue(concept.path)]
        )
        guard known == nil else { return }
        let attributes =
            switch concept.kind {
            case .folder, .choice: "FA "
            default: "LA "
            }
        try transaction.execute(
            """
            INSERT INTO custom_meta (c_hlevel, c_fullname, c_name, c_synonym_cd, c_visualattributes, c_basecode,
                c_metadataxml, c_facttablecolumn, c_tablename, c_columnname, c_columndatatype, c_operator, c_dimcode,
                c_comment, c_tooltip, m_applied_path, update_date, import_date, sourcesystem_cd)
            VALUES (?, ?, ?, 'N', ?, ?, ?, 'concept_cd', 'concept_dimension', 'concept_path', 'T', 'LIKE', ?, ?, ?, '@',
                ?, ?, ?)
            """,
            [
                SQLValue(ConceptPath.level(concept.path)), SQLValue(concept.path),
                SQLValue(String(concept.name.prefix(2000))), SQLValue(attributes), SQLValue(concept.code),
                SQLValue(MetadataXML.text(for: concept, at: at)), SQLValue(concept.path), SQLValue(concept.kind.name),
                SQLValue(String(concept.name.prefix(900))), WarehouseTime.value(at), WarehouseTime.value(at),
                SQLValue(Self.source),
            ])
        guard let code = concept.code else { return }
        if let prefix = code.split(separator: ":").first { try ensureScheme(String(prefix)) }
        try transaction.execute(
            """
            INSERT INTO concept_dimension (concept_path, concept_cd, name_char, update_date, download_date, import_date,
                sourcesystem_cd) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """,
            [
                SQLValue(concept.path), SQLValue(code), SQLValue(String(concept.name.prefix(2000))),
                WarehouseTime.value(at), WarehouseTime.value(at), WarehouseTime.value(at), SQLValue(Self.source),
            ])
    }

    /// Writes the concept that a fact uses where the ontology lacks it, with folders down to it.
    func ensure(_ use: ConceptUse) throws {
        switch use.place {
        case .path(let path):
            try ensureFolders(above: path)
            try ensure(Concept(path: path, code: use.code, name: use.name, kind: use.kind))
        case .health:
            guard try healthPath(of: use.code) == nil else { return }
            let folder = Concept(
                path: ConceptPath.root + "Health\\Other\\", code: nil, name: "Other", kind: .folder)
            try ensure(folder)
            let path = ConceptPath.child(of: folder.path, ConceptPath.segment(use.code))
            try ensure(Concept(path: path, code: use.code, name: use.name, kind: use.kind))
        case .below(let parent, let segment):
            guard let path = try healthPath(of: parent) else { return }
            try ensure(
                Concept(
                    path: ConceptPath.child(of: path, segment), code: use.code, name: use.name, kind: use.kind))
        }
    }

    private func healthPath(of code: String) throws -> String? {
        try transaction.query(
            "SELECT concept_path FROM concept_dimension WHERE concept_cd = ? ORDER BY concept_path", [SQLValue(code)]
        ).lazy.compactMap { $0.textIfPresent("concept_path") }.first { $0.hasPrefix(ConceptPath.root + "Health\\") }
    }

    /// Every ancestor must be there, or the tree cannot be walked down to the concept.
    private func ensureFolders(above path: String) throws {
        var folder = "\\"
        for segment in path.split(separator: "\\").dropLast() {
            folder += segment + "\\"
            try ensure(Concept(path: folder, code: nil, name: String(segment), kind: .folder))
        }
    }

    private func ensureScheme(_ prefix: String) throws {
        try transaction.execute(
            "INSERT INTO schemes (c_key, c_name, c_description) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [SQLValue(prefix + ":"), SQLValue(prefix), SQLValue(prefix + " codes")])
    }
}
