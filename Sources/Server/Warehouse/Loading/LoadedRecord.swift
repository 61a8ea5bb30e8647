import Storage

/// The location of a record's facts. With it, the warehouse can delete exactly these facts, even if the forms, the
/// types and the rules have changed since they were made.
struct LoadedRecord: Sendable, Hashable {
    /// The record's number.
    let number: Int64
    let encounter: Int64
    /// The first instance number of its facts.
    let firstInstance: Int64
    /// The number of its instance numbers; 0 if all facts of the encounter belong to the record.
    let instanceCount: Int64
    /// The first `start_date` of its facts, in seconds since 1970 (UTC). Two records of one day may have the same
    /// instance number by chance.
    let start: Int64
    /// The last `start_date`. It differs from the first only if its facts have times of their own.
    let last: Int64
    /// The upload of the facts.
    let upload: Int64

    static let table = "warehouse_loaded"

    init(_ facts: PreparedFacts, of number: Int64, encounter: Int64, upload: Int64) {
        (self.number, self.encounter, self.upload) = (number, encounter, upload)
        firstInstance = Int64(facts.firstInstance)
        instanceCount = Int64(facts.instanceCount)
        func seconds(_ value: SQLValue) -> Int64? {
            if case .text(let text) = value { WarehouseTime.seconds(text) } else { nil }
        }
        start = seconds(facts.start) ?? 0
        last = facts.facts.reduce(start) { last, fact in max(last, fact.time.flatMap(seconds) ?? last) }
    }

    init(_ row: SQLRow) throws {
        number = try row.integer("number")
        encounter = try row.integer("encounter_num")
        firstInstance = try row.integer("instance_num")
        instanceCount = try row.integer("instances")
        start = try row.integer("start_seconds")
        last = row.integerIfPresent("last_seconds") ?? start
        upload = try row.integer("upload_id")
    }

    /// Returns the loaded state of a record; nil if nothing is loaded.
    static func of(_ number: Int64, in transaction: any SQLTransaction) throws -> LoadedRecord? {
        try transaction.first("SELECT * FROM warehouse_loaded WHERE number = ?", [SQLValue(number)])
            .map { try LoadedRecord($0) }
    }

    /// Returns the loaded state of records by number; nil if nothing is loaded.
    static func of(_ numbers: [Int64], in transaction: any SQLTransaction) throws -> [Int64: LoadedRecord?] {
        var loaded: [Int64: LoadedRecord?] = [:]
        for number in numbers { loaded[number] = .some(nil) }
        for condition in conditions(of: numbers) {
            for row in try transaction.query(someSQL(condition), condition.parameters) {
                let record = try LoadedRecord(row)
                if loaded[record.number] != nil { loaded[record.number] = record }
            }
        }
        return loaded
    }

    static func someSQL(_ condition: SQLQuery) -> String {
        "SELECT l.* FROM warehouse_loaded l WHERE \(condition.sql)"
    }

    /// Returns conditions that select the rows `l` of records, with few distinct texts. They may select other records
    /// in the same range too.
    ///
    /// A dense set of records is selected as one range. A server whose statement was planned for an empty table scans
    /// the table once for a range, but once for each number otherwise.
    static func conditions(of numbers: [Int64]) -> [SQLQuery] {
        guard let first = numbers.min(), let last = numbers.max() else { return [] }
        if last - first < Int64(2 * numbers.count) {
            return [SQLQuery("l.number >= ? AND l.number <= ?", [SQLValue(first), SQLValue(last)])]
        }
        return InNumbers.parts(of: numbers).map { SQLQuery("l.number IN \($0.placeholders)", $0.parameters) }
    }

    /// Inserts the loaded state of a record that had none.
    static let new = SQLInsertion<LoadedRecord, Void>(into: table, columns: columns)

    private static let columns: [SQLColumn<LoadedRecord>] = [
        SQLColumn("number") { .integer($0.number) },
        SQLColumn("encounter_num") { .integer($0.encounter) },
        SQLColumn("instance_num") { .integer($0.firstInstance) },
        SQLColumn("instances") { .integer($0.instanceCount) },
        SQLColumn("start_seconds") { .integer($0.start) },
        SQLColumn("last_seconds") { $0.last > $0.start ? .integer($0.last) : .null },
        SQLColumn("upload_id") { .integer($0.upload) },
    ]

    /// The condition for its own rows of `observation_fact`. The participant's number is left out, although an
    /// encounter has only one participant, so that the index of encounters is the only one that applies.
    var facts: (condition: String, parameters: [SQLValue]) {
        guard instanceCount > 0 else { return (Self.allOfEncounter, [SQLValue(encounter)]) }
        return (
            Self.someOfEncounter,
            [
                SQLValue(encounter), SQLValue(firstInstance), SQLValue(firstInstance + instanceCount),
                .text(WarehouseTime.text(seconds: start)), .text(WarehouseTime.text(seconds: last)),
            ]
        )
    }

    /// Whether a fact with one of its instance numbers is its own, by `start_date`.
    func has(start text: String) -> Bool {
        WarehouseTime.seconds(text).map { (start...last).contains($0) } ?? false
    }

    static let allOfEncounter = "encounter_num = ?"
    static let someOfEncounter =
        "encounter_num = ? AND instance_num >= ? AND instance_num < ? AND start_date >= ? AND start_date <= ?"

    /// Deletes the facts of records, with their modifiers.
    ///
    /// - Returns: the number of deleted facts, without modifiers, for each upload.
    static func removeFacts(
        of records: [LoadedRecord], in transaction: any SQLTransaction
    ) throws -> [Int64: Int] {
        var removed: [Int64: Int] = [:]
        for removal in removals(of: records) {
            let rows = try transaction.query(removal.sql, removal.parameters)
            removed[removal.upload, default: 0] += try rows.filter { try $0.text("modifier_cd") == "@" }.count
        }
        return removed
    }

    /// A statement that deletes facts of records that came with one upload.
    struct Removal {
        let upload: Int64
        let sql: String
        let parameters: [SQLValue]
    }

    /// Returns the statements that delete the facts of records, with few distinct texts, so that each is prepared
    /// once.
    static func removals(of records: [LoadedRecord]) -> [Removal] {
        struct Kind: Hashable {
            let upload: Int64
            let hasOwnEncounter: Bool
        }
        var removals: [Removal] = []
        let kinds = Dictionary(grouping: records) { Kind(upload: $0.upload, hasOwnEncounter: $0.instanceCount == 0) }
        for (kind, records) in kinds {
            var rest = records[...]
            while let last = rest.last {
                // The last record fills the remaining placeholders.
                let size = rest.count == 1 ? 1 : removedTogether
                var together = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                while together.count < size { together.append(last) }
                let conditions = together.map { "(\($0.facts.condition))" }.joined(separator: " OR ")
                removals.append(
                    Removal(
                        upload: kind.upload,
                        sql: "DELETE FROM observation_fact WHERE \(conditions) RETURNING modifier_cd",
                        parameters: together.flatMap(\.facts.parameters)))
            }
        }
        return removals
    }

    /// Number of records whose facts one statement deletes.
    private static let removedTogether = 50

    /// Deletes the loaded state of records.
    static func forget(_ numbers: [Int64], in transaction: any SQLTransaction) throws {
        for part in InNumbers.parts(of: numbers) {
            try transaction.execute(
                "DELETE FROM warehouse_loaded WHERE number IN \(part.placeholders)", part.parameters)
        }
    }
}
