import Records
import Storage

/// A resource that was loaded, by its encounter.
struct LoadedResource: Sendable, Hashable {
    let encounter: Int64
    /// `Type/id`
    let ide: String
    /// The participant's name in i2b2.
    let name: String
    /// Their id; nil where nobody has the name.
    let participant: String?

    /// The loaded resources in the order of their encounters, page by page.
    static func page(
        behind last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [LoadedResource] {
        try transaction.query(
            pageSQL(transaction.dialect), [SQLValue(last), SQLValue(WarehouseLoader.source), SQLValue(limit)]
        ).map { row in
            LoadedResource(
                encounter: try row.integer("encounter_num"), ide: try row.text("encounter_ide"),
                name: try row.text("patient_ide"), participant: row.textIfPresent("participant"))
        }
    }

    /// Parameters: encounter, source, limit.
    static func pageSQL(_ dialect: SQLDialect) -> String {
        """
        SELECT m.encounter_num, m.encounter_ide, m.patient_ide, w.participant FROM encounter_mapping m
        LEFT JOIN warehouse_patient w ON w.patient_ide = m.patient_ide \(dialect.bytewise)
        WHERE m.encounter_num > ? AND m.encounter_ide_source = ? ORDER BY m.encounter_num LIMIT ?
        """
    }

    /// Whether the records have it.
    func isPresent(in transaction: any SQLTransaction) throws -> Bool {
        let parts = ide.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let participant else { return false }
        return try RecordStore().isPresent(
            type: String(parts[0]), id: String(parts[1]), of: participant, in: transaction)
    }
}
