/// Inserts the staged rows of a table with the numbers that ``StagedNumbers`` assigned.
struct StagedInsertion {
    let statement: String
    /// The query of the rows to insert.
    let selection: String

    /// - Parameter target: the table's name in the target.
    init(_ table: I2B2Table, into target: String) {
        let columns = table.stagedColumns
        var joins = ""
        let values = columns.map { column in
            switch column {
            case "patient_num":
                joins += " JOIN \(StagedNumbers.patients.table) p ON p.given = i.patient_num"
                return "p.number"
            case "encounter_num":
                joins += " JOIN \(StagedNumbers.encounters.table) e ON e.given = i.encounter_num"
                return "e.number"
            case "upload_id":
                joins += " LEFT JOIN \(StagedNumbers.uploads.table) u ON u.given = i.upload_id"
                return "u.number"
            // A number mapped to itself.
            case "patient_ide" where table.name == "patient_mapping":
                return
                    "CASE WHEN i.patient_ide_source = '\(Numbering.hive)' THEN CAST(p.number AS text) ELSE i.patient_ide END"
            case "encounter_ide":
                return """
                    CASE WHEN i.encounter_ide_source = '\(Numbering.hive)' THEN CAST(e.number AS text) \
                    ELSE i.encounter_ide END
                    """
            case "c_table_name": return "'\(WarehouseLocation.ontologyView)'"
            default: return "i.\(column)"
            }
        }
        let named = zip(values, columns).map { "\($0) AS \($1)" }
        selection = "SELECT \(named.joined(separator: ", ")) FROM \(table.staged) i\(joins)"
        statement =
            "INSERT INTO \(target) (\(columns.joined(separator: ", "))) \(selection) ON CONFLICT DO NOTHING"
    }
}
