import Records
import Storage

/// A resource that was loaded, by its encounter.
struct LoadedResource: Sendable, Hashable {
    let encounter: Int64
    /// `Type/id`
    let ide: String
    let participant: String

    /// The loaded resources in the order of their encounters, page by page.
    static func page(
        behind last: Int64, limit: Int, in transaction: any SQLTransaction
    ) throws -> [LoadedResource] {
        try transaction.query(pageSQL, [SQLValue(last), SQLValue(WarehouseLoader.source), SQLValue(limit)]).map { row in
            LoadedResource(
                encounter: try row.integer("encounter_num"), ide: try row.text("encounter_ide"),
                participant: try row.text("patient_ide"))
        }
    }

    /// Parameters: encounter, source, limit.
    static let pageSQL = """
        SELECT encounter_num, encounter_ide, patient_ide FROM encounter_mapping
        WHERE encounter_num > ? AND encounter_ide_source = ? ORDER BY encounter_num LIMIT ?
        """

    /// Whether the records have it.
    func isPresent(in transaction: any SQLTransaction) throws -> Bool {
        let parts = ide.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return false }
        return try RecordStore().isPresent(
            type: String(parts[0]), id: String(parts[1]), of: participant, in: transaction)
    }
}
