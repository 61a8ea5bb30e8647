import Storage

/// The stored facts of records that are loaded again. Facts that would be written unchanged are left as they are,
/// which costs the server a tenth of writing them.
struct StoredFacts {
    /// The contents by record number. Records with a row that this upload writes differently are left out.
    private var contents: [Int64: [FactContent]] = [:]

    /// Creates the value without stored facts.
    init() {}

    /// Reads the stored facts of records.
    init(of records: some Collection<LoadedRecord>, _ trail: UploadTrail, in transaction: any SQLTransaction) throws {
        guard !records.isEmpty else { return }
        var sharing: [Int64: LoadedRecord] = [:]
        for record in records {
            contents[record.number] = []
            if record.instanceCount > 0 { sharing[record.number] = record }
        }
        var unlike: Set<Int64> = []
        for query in Self.queries(of: records.map(\.number), trail, transaction.dialect) {
            for row in try transaction.query(query.sql, query.parameters) {
                let record = try row.integer("number")
                // In a shared encounter, the record's facts are those at its own time.
                guard contents[record] != nil,
                    sharing[record].map({ $0.has(start: row.textIfPresent("start_date") ?? "") }) ?? true
                else { continue }
                if try row.integer("is_of_upload") == 0 { unlike.insert(record) }
                contents[record]?.append(try FactContent(row))
            }
        }
        for record in unlike { contents[record] = nil }
    }

    /// Whether exactly these rows are stored for a record. Valid for one call: rows written meanwhile are not seen.
    mutating func matches(_ rows: [ObservationFactRow], of record: Int64) -> Bool {
        guard let stored = contents.removeValue(forKey: record), stored.count == rows.count else { return false }
        if let row = rows.first, rows.count == 1 { return stored == [FactContent(row)] }
        return Set(rows.map { FactContent($0) }) == Set(stored)
    }

    /// Returns the statements that read the rows of records, with few distinct texts, so that each is prepared once.
    static func queries(of numbers: [Int64], _ trail: UploadTrail, _ dialect: SQLDialect) -> [SQLQuery] {
        // The time of loading is not part of the resource: an unchanged row keeps its original time.
        let shared = ObservationFactRow.insertion.shared(by: trail).filter { $0.name != "import_date" }
        let isOfUpload = shared.map { "f.\($0.name) = ?" }.joined(separator: " AND ")
        let columns = FactContent.columnNames.map { "f.\($0)" }.joined(separator: ", ")
        return LoadedRecord.conditions(of: numbers).map { condition in
            func rows(_ match: String, of records: String) -> String {
                """
                SELECT l.number, \(columns), CASE WHEN \(isOfUpload) THEN 1 ELSE 0 END AS is_of_upload
                FROM warehouse_loaded l \(dialect.lookup(in: "observation_fact", as: "f", where: match))
                WHERE \(condition.sql) AND \(records)
                """
            }
            // Two separate parts, so that each uses the index: facts in a shared encounter are found by their instance
            // numbers.
            let sql =
                rows(
                    """
                    f.encounter_num = l.encounter_num AND f.instance_num >= l.instance_num
                        AND f.instance_num < l.instance_num + l.instances
                    """, of: "l.instances > 0")
                + " UNION ALL " + rows("f.encounter_num = l.encounter_num", of: "l.instances = 0")
            let parameters = shared.map(\.value) + condition.parameters
            return SQLQuery(sql, parameters + parameters)
        }
    }
}
