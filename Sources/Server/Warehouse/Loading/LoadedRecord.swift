import Storage

/// Where the facts of a record stand: what the warehouse must know to take exactly these away, whatever the forms, the types
/// and the rules were by which they were made.
struct LoadedRecord: Sendable, Hashable {
    /// The record's number.
    let number: Int64
    let encounter: Int64
    /// The first number of its facts' instances.
    let firstInstance: Int64
    /// How many such numbers they have; 0 where all facts of the encounter are the record's.
    let instanceCount: Int64
    /// The `start_date` of its facts, in seconds since 1970 (UTC). Two records of one day may have one number by chance.
    let start: Int64
    /// The upload that they came with.
    let upload: Int64

    static let table = "warehouse_loaded"

    init(_ facts: PreparedFacts, of number: Int64, encounter: Int64, upload: Int64) {
        (self.number, self.encounter, self.upload) = (number, encounter, upload)
        firstInstance = Int64(facts.firstInstance)
        instanceCount = Int64(facts.instanceCount)
        start = if case .text(let text) = facts.start { WarehouseTime.seconds(text) ?? 0 } else { 0 }
    }

    init(_ row: SQLRow) throws {
        number = try row.integer("number")
        encounter = try row.integer("encounter_num")
        firstInstance = try row.integer("instance_num")
        instanceCount = try row.integer("instances")
        start = try row.integer("start_seconds")
        upload = try row.integer("upload_id")
    }

    /// What is loaded of a record; nil where nothing is.
    static func of(_ number: Int64, in transaction: any SQLTransaction) throws -> LoadedRecord? {
        try transaction.first("SELECT * FROM warehouse_loaded WHERE number = ?", [SQLValue(number)])
            .map { try LoadedRecord($0) }
    }

    /// What is loaded of some records, by their numbers; nil where nothing is.
    static func of(_ numbers: [Int64], in transaction: any SQLTransaction) throws -> [Int64: LoadedRecord?] {
        var loaded: [Int64: LoadedRecord?] = [:]
        for number in numbers { loaded[number] = .some(nil) }
        for part in InNumbers.parts(of: numbers) {
            for row in try transaction.query(
                "SELECT * FROM warehouse_loaded WHERE number IN \(part.places)", part.parameters)
            {
                let record = try LoadedRecord(row)
                loaded[record.number] = record
            }
        }
        return loaded
    }

    /// Notes what is loaded of a record of which nothing was.
    static let new = SQLInsertion<LoadedRecord, Void>(into: table, columns: columns)

    private static let columns: [SQLColumn<LoadedRecord>] = [
        SQLColumn("number") { .integer($0.number) },
        SQLColumn("encounter_num") { .integer($0.encounter) },
        SQLColumn("instance_num") { .integer($0.firstInstance) },
        SQLColumn("instances") { .integer($0.instanceCount) },
        SQLColumn("start_seconds") { .integer($0.start) },
        SQLColumn("upload_id") { .integer($0.upload) },
    ]

    /// The rows of `observation_fact` that are its own. An encounter is of one participant; without their number the index of
    /// encounters is the only one to go by.
    var facts: (condition: String, parameters: [SQLValue]) {
        guard instanceCount > 0 else { return (Self.allOfEncounter, [SQLValue(encounter)]) }
        return (
            Self.someOfEncounter,
            [
                SQLValue(encounter), SQLValue(firstInstance), SQLValue(firstInstance + instanceCount),
                .text(WarehouseTime.text(seconds: start)),
            ]
        )
    }

    static let allOfEncounter = "encounter_num = ?"
    static let someOfEncounter = "encounter_num = ? AND instance_num >= ? AND instance_num < ? AND start_date = ?"

    /// Forgets what was loaded of some records.
    static func forget(_ numbers: [Int64], in transaction: any SQLTransaction) throws {
        for part in InNumbers.parts(of: numbers) {
            try transaction.execute("DELETE FROM warehouse_loaded WHERE number IN \(part.places)", part.parameters)
        }
    }
}
