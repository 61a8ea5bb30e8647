import Foundation
import Storage

extension OntologyWriter {
    /// Inserts concepts that are not in the ontology, each path once.
    func insert(_ concepts: [Concept]) throws {
        guard !concepts.isEmpty else { return }
        let parents = Set(concepts.compactMap { ConceptPath.parent(of: $0.path) })
        var rows = try transaction.inserter(MetadataRow.insertion, sharing: at)
        for concept in concepts {
            try rows.add(MetadataRow(concept, isParent: parents.contains(concept.path), at: at))
        }
        try rows.flush()
        // i2b2's clients open a concept with children only if it is a folder.
        for parent in parents.subtracting(concepts.map(\.path)).sorted() {
            try transaction.execute(
                """
                UPDATE custom_meta SET c_visualattributes = 'FA '
                WHERE c_fullname = ? AND m_applied_path = '@' AND c_visualattributes = 'LA '
                """, [SQLValue(parent)])
        }
        try insertDimensions(concepts.filter { $0.code != nil })
    }

    /// Inserts concepts with a code into the concept dimension, if they are missing there.
    func insertDimensions(_ concepts: [Concept]) throws {
        let prefixes = concepts.compactMap { $0.code?.split(separator: ":").first.map { String($0) } }
        for prefix in Set(prefixes).sorted() { try ensureScheme(prefix) }
        let rows = concepts.map { DimensionRow(concept: $0) }
        for insertion in [DimensionRow.ours, DimensionRow.insertion] {
            var inserter = try transaction.inserter(insertion, sharing: at)
            try inserter.insertEach(of: rows)
            try inserter.flush()
        }
    }

    /// A concept as a row of i2b2's metadata.
    private struct MetadataRow {
        let concept: Concept
        /// Whether another concept of the same batch is below it.
        let isParent: Bool
        let at: Date
        private let query: Query

        /// The parts from which i2b2 builds its query.
        private struct Query {
            /// The column of the fact table.
            var factColumn = "concept_cd"
            var table = "concept_dimension"
            /// The column of the dimension table.
            var column = "concept_path"
            var dataType = "T"
            var comparison = "LIKE"
            var code: String
        }

        init(_ concept: Concept, isParent: Bool, at: Date) {
            (self.concept, self.isParent, self.at) = (concept, isParent, at)
            query =
                if case .dimension(let selection) = concept.kind {
                    Query(
                        factColumn: selection.table.factColumn, table: selection.table.rawValue,
                        column: selection.column, dataType: selection.dataType,
                        comparison: selection.comparison.rawValue, code: selection.code)
                } else {
                    Query(code: concept.path)
                }
        }

        static let insertion = SQLInsertion<MetadataRow, Date>(
            into: table,
            columns: [
                SQLColumn("c_hlevel") { SQLValue(ConceptPath.level($0.concept.path)) },
                SQLColumn("c_fullname") { SQLValue($0.concept.path) },
                SQLColumn("c_name") { SQLValue(OntologyWriter.name($0.concept, 2000)) },
                // A question with answers becomes a folder when the first of them is inserted.
                SQLColumn("c_visualattributes") { $0.isParent || $0.concept.kind == .folder ? "FA " : "LA " },
                SQLColumn("c_basecode") { SQLValue($0.concept.code) },
                SQLColumn("c_metadataxml") { SQLValue(MetadataXML.text(for: $0.concept, at: $0.at)) },
                SQLColumn("c_facttablecolumn") { SQLValue($0.query.factColumn) },
                SQLColumn("c_tablename") { SQLValue($0.query.table) },
                SQLColumn("c_columnname") { SQLValue($0.query.column) },
                SQLColumn("c_columndatatype") { SQLValue($0.query.dataType) },
                SQLColumn("c_operator") { SQLValue($0.query.comparison) },
                SQLColumn("c_dimcode") { SQLValue($0.query.code) },
                SQLColumn("c_comment") { SQLValue($0.concept.kind.name) },
                SQLColumn("c_tooltip") { SQLValue(OntologyWriter.name($0.concept, 900)) },
            ],
            shared: [
                SQLColumn("c_synonym_cd") { _ in "N" },
                SQLColumn("m_applied_path") { _ in "@" },
                SQLColumn("update_date") { WarehouseTime.value($0) },
                SQLColumn("import_date") { WarehouseTime.value($0) },
                SQLColumn("sourcesystem_cd") { _ in SQLValue(source) },
            ])
    }

    /// A concept as a row of the concept dimension.
    private struct DimensionRow {
        let concept: Concept

        static let insertion = SQLInsertion<DimensionRow, Date>(
            into: "concept_dimension", onConflict: .keepsPresent(key: ["concept_path"]), columns: columns,
            shared: [
                SQLColumn("update_date") { WarehouseTime.value($0) },
                SQLColumn("download_date") { WarehouseTime.value($0) },
                SQLColumn("import_date") { WarehouseTime.value($0) },
                SQLColumn("sourcesystem_cd") { _ in SQLValue(source) },
            ])

        /// A table of our own, in addition to that of another i2b2: it shows which concepts are ours.
        static let ours = SQLInsertion<DimensionRow, Date>(
            into: "warehouse_concept", onConflict: .keepsPresent(key: ["concept_path"]), columns: columns)

        private static let columns: [SQLColumn<DimensionRow>] = [
            SQLColumn("concept_path") { SQLValue($0.concept.path) },
            SQLColumn("concept_cd") { SQLValue($0.concept.code) },
            SQLColumn("name_char") { SQLValue(OntologyWriter.name($0.concept, 2000)) },
        ]
    }
}
