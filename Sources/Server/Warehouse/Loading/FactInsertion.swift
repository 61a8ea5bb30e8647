import Foundation
import Storage

/// Writes the facts of many resources of one participant that were never loaded: as ``FactRows`` does with each, with
/// statements that are prepared once. It lives inside one transaction.
struct FactInsertion {
    private let mapping: any SQLStatement
    private let visit: any SQLStatement
    private let fact: any SQLStatement
    private var next: Int64
    /// Facts without their modifiers.
    private(set) var facts = 0

    init(transaction: any SQLTransaction, context: LoadContext, patient: Int64, upload: Int64) throws {
        next = try Numbering(transaction: transaction, context: context).nextEncounter()
        let received = WarehouseTime.value(context.receivedAt)
        let loaded = WarehouseTime.value(context.loadedAt)
        let trail = [received, received, loaded]
        mapping = try transaction.prepare(
            """
            INSERT INTO encounter_mapping (encounter_ide, encounter_ide_source, encounter_num, sourcesystem_cd,
                project_id, encounter_ide_status, patient_ide, patient_ide_source, upload_date, update_date,
                download_date, import_date, upload_id) VALUES (?, ?, ?, ?, '@', 'A', ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """)
        try mapping.bind(
            [SQLValue(context.subject), SQLValue(WarehouseLoader.source), loaded] + trail + [SQLValue(upload)], from: 5)
        visit = try transaction.prepare(
            """
            INSERT INTO visit_dimension (encounter_num, active_status_cd, start_date, end_date, patient_num, update_date,
                download_date, import_date, sourcesystem_cd, upload_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let common = trail + [SQLValue(WarehouseLoader.source), SQLValue(upload)]
        try visit.bind([SQLValue(patient)] + common, from: 5)
        fact = try transaction.prepare(
            """
            INSERT INTO observation_fact (encounter_num, concept_cd, start_date, modifier_cd, instance_num, valtype_cd,
                tval_char, nval_num, units_cd, end_date, observation_blob, patient_num, provider_id, valueflag_cd,
                location_cd, update_date, download_date, import_date, sourcesystem_cd, upload_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '@', '@', '@', ?, ?, ?, ?, ?)
            """)
        try fact.bind([SQLValue(patient)] + common, from: 12)
    }

    /// Writes the facts of a resource.
    ///
    /// - Returns: false where the resource has an encounter already; then nothing was done.
    mutating func insert(_ facts: PreparedFacts) throws -> Bool {
        let encounter = SQLValue.integer(next)
        try mapping.bind(.text(facts.ide), at: 1)
        try mapping.bind(.text(WarehouseLoader.source), at: 2)
        try mapping.bind(encounter, at: 3)
        try mapping.bind(.text(WarehouseLoader.source), at: 4)
        guard try mapping.run() > 0 else { return false }
        try mapping.bind(.text(String(next)), at: 1)
        try mapping.bind(.text(Numbering.hive), at: 2)
        try mapping.bind(.text(Numbering.hiveSystem), at: 4)
        try mapping.run()
        next += 1
        try visit.bind(encounter, at: 1)
        try visit.bind(.text(facts.visitStatus), at: 2)
        try visit.bind(facts.start, at: 3)
        try visit.bind(facts.end, at: 4)
        try visit.run()
        try fact.bind(encounter, at: 1)
        try fact.bind(facts.start, at: 3)
        try fact.bind(facts.end, at: 10)
        for one in facts.facts {
            let columns = FactColumns(one.value)
            try fact.bind(.text(one.concept), at: 2)
            try fact.bind("@", at: 4)
            try fact.bind(.integer(Int64(one.instance)), at: 5)
            try fact.bind(columns.type, at: 6)
            try fact.bind(columns.text, at: 7)
            try fact.bind(columns.number, at: 8)
            try fact.bind(columns.units, at: 9)
            try fact.bind(columns.blob, at: 11)
            try fact.run()
            // Beside it the modifier that says how the time is known.
            try fact.bind(.text(facts.timeSource), at: 4)
            try fact.bind("T", at: 6)
            try fact.bind(facts.timeText, at: 7)
            try fact.bind(.null, at: 8)
            try fact.bind("@", at: 9)
            try fact.bind(.null, at: 11)
            try fact.run()
        }
        self.facts += facts.facts.count
        return true
    }
}

/// The facts of a resource, ready to be written: made without the database.
struct PreparedFacts: Sendable {
    /// The resource's type and id, which name its encounter.
    let ide: String
    let facts: [ObservationFact]
    let visitStatus: String
    let start: SQLValue
    let end: SQLValue
    let timeSource: String
    let timeText: SQLValue

    init(ide: String, facts: [ObservationFact], time: FactTime) {
        self.ide = ide
        self.facts = facts
        visitStatus = time.visitStatus
        start = WarehouseTime.value(time.start)
        end = time.end.map { WarehouseTime.value($0) } ?? start
        timeSource = time.source.rawValue
        timeText = FactColumns(.text(time.text ?? "@")).text
    }
}
