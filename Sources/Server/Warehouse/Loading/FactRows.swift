import Foundation
import Storage

/// The values that all rows of one upload have in common.
struct UploadTrail {
    let context: LoadContext
    let patient: Int64
    let upload: Int64
}

/// The last columns of every table of the data mart: those with one value for all rows of an upload.
private let trail: [SQLColumn<UploadTrail>] = [
    SQLColumn("update_date") { WarehouseTime.value($0.context.receipt) },
    SQLColumn("download_date") { WarehouseTime.value($0.context.receipt) },
    SQLColumn("import_date") { WarehouseTime.value($0.context.load) },
    SQLColumn("upload_id") { .integer($0.upload) },
]

private let sourceColumn = SQLColumn<UploadTrail>("sourcesystem_cd") { _ in .text(WarehouseLoader.source) }

/// A name of an encounter in `encounter_mapping`: the resource's own name, or the number mapped to itself.
struct EncounterMappingRow {
    let number: Int64
    let name: String
    let source: String
    let system: String

    /// For resources' own names: a resource with an encounter keeps it.
    static let resources = insertion(.keepsPresent(key: key))

    /// For numbers mapped to themselves, which are new with their encounter.
    static let numbers = insertion(.fails)

    /// For days, which belong to no single upload: nothing in the row depends on the upload that came first.
    static let days = insertion(.keepsPresent(key: key), isOfUpload: false)

    /// For days' numbers mapped to themselves.
    static let numbersOfDays = insertion(.fails, isOfUpload: false)

    private static let key = [
        "encounter_ide", "encounter_ide_source", "project_id", "patient_ide", "patient_ide_source",
    ]

    private static func insertion(
        _ conflict: SQLInsertionTarget.Conflict, isOfUpload: Bool = true
    ) -> SQLInsertion<EncounterMappingRow, UploadTrail> {
        let upload = [SQLColumn<UploadTrail>("upload_date") { WarehouseTime.value($0.context.load) }] + trail
        return SQLInsertion(
            into: "encounter_mapping", onConflict: conflict,
            columns: [
                SQLColumn("encounter_ide") { .text($0.name) },
                SQLColumn("encounter_ide_source") { .text($0.source) },
                SQLColumn("encounter_num") { .integer($0.number) },
                SQLColumn("sourcesystem_cd") { .text($0.system) },
            ],
            shared: [
                SQLColumn("project_id") { _ in "@" },
                SQLColumn("encounter_ide_status") { _ in "A" },
                SQLColumn("patient_ide") { .text($0.context.name) },
                SQLColumn("patient_ide_source") { _ in .text(WarehouseLoader.source) },
            ] + (isOfUpload ? upload : []))
    }

    /// Creates the mapping of the encounter's own name.
    init(_ ide: String, number: Int64) {
        (self.number, name) = (number, ide)
        (source, system) = (WarehouseLoader.source, WarehouseLoader.source)
    }

    /// Creates the mapping of a number to itself, as i2b2's own loader does.
    init(itself number: Int64) {
        (self.number, name) = (number, String(number))
        (source, system) = (Numbering.hive, Numbering.hiveSystem)
    }
}

/// The visit in `visit_dimension` of a resource that is an encounter of its own.
struct VisitRow {
    let encounter: Int64
    let facts: PreparedFacts

    /// For new encounters.
    static let new = insertion(.fails)

    /// For resources that were loaded before.
    static let existing = insertion(.replaces(key: ["encounter_num", "patient_num"]))

    private static func insertion(_ conflict: SQLInsertionTarget.Conflict) -> SQLInsertion<VisitRow, UploadTrail> {
        SQLInsertion(
            into: "visit_dimension", onConflict: conflict,
            columns: [
                SQLColumn("encounter_num") { .integer($0.encounter) },
                SQLColumn("active_status_cd") { .text($0.facts.visitStatus) },
                SQLColumn("start_date") { $0.facts.start },
                SQLColumn("end_date") { $0.facts.end },
                SQLColumn("location_cd") { .text($0.facts.source.rawValue) },
            ],
            shared: [SQLColumn("patient_num") { .integer($0.patient) }, sourceColumn] + trail)
    }
}

/// The content of a day in `visit_dimension`: the same whichever resource of the day was loaded first.
struct DayVisit: Hashable {
    let patient: Int64
    let start: String?
    let end: String?
    let status: String?
    let location: String?
    let system: String?

    init(_ source: FactSource, _ day: String, patient: Int64) {
        self.patient = patient
        (start, end) = (day + " 00:00:00", day + " 00:00:00")
        status = FactEncounter.statusOfDay
        location = source.rawValue
        system = WarehouseLoader.source
    }

    /// nil if there is no visit.
    init?(_ row: SQLRow) {
        guard let patient = row.integerIfPresent("patient_num") else { return nil }
        self.patient = patient
        (start, end) = (row.textIfPresent("start_date"), row.textIfPresent("end_date"))
        (status, location) = (row.textIfPresent("active_status_cd"), row.textIfPresent("location_cd"))
        system = row.textIfPresent("sourcesystem_cd")
    }
}

/// The visit of a day in `visit_dimension`.
struct DayVisitRow {
    let encounter: Int64
    let visit: DayVisit

    /// For new encounters.
    static let new = insertion(.fails)

    /// For existing encounters.
    static let existing = insertion(.replaces(key: ["encounter_num", "patient_num"]))

    private static func insertion(_ conflict: SQLInsertionTarget.Conflict) -> SQLInsertion<DayVisitRow, Void> {
        SQLInsertion(
            into: "visit_dimension", onConflict: conflict,
            columns: [
                SQLColumn("encounter_num") { .integer($0.encounter) },
                SQLColumn("patient_num") { .integer($0.visit.patient) },
                SQLColumn("start_date") { SQLValue($0.visit.start) },
                SQLColumn("end_date") { SQLValue($0.visit.end) },
                SQLColumn("active_status_cd") { SQLValue($0.visit.status) },
                SQLColumn("location_cd") { SQLValue($0.visit.location) },
                SQLColumn("sourcesystem_cd") { SQLValue($0.visit.system) },
            ])
    }
}

/// A fact in `observation_fact`.
///
/// It contains only its columns, because thousands of rows are buffered.
struct ObservationFactRow {
    let encounter: Int64
    let concept: String
    let modifier: String
    /// `instance_num`
    let instance: Int64
    let start: SQLValue
    let end: SQLValue
    let value: FactValue.Columns

    static let insertion = SQLInsertion<ObservationFactRow, UploadTrail>(
        into: "observation_fact",
        columns: [
            SQLColumn("encounter_num") { .integer($0.encounter) },
            SQLColumn("concept_cd") { .text($0.concept) },
            SQLColumn("start_date") { $0.start },
            SQLColumn("modifier_cd") { .text($0.modifier) },
            SQLColumn("instance_num") { .integer($0.instance) },
            SQLColumn("valtype_cd") { $0.value.type },
            SQLColumn("tval_char") { $0.value.text },
            SQLColumn("nval_num") { $0.value.number },
            SQLColumn("units_cd") { $0.value.units },
            SQLColumn("end_date") { $0.end },
            SQLColumn("observation_blob") { $0.value.blob },
        ],
        shared: [
            SQLColumn("patient_num") { .integer($0.patient) },
            SQLColumn("provider_id") { _ in "@" },
            SQLColumn("valueflag_cd") { _ in "@" },
            SQLColumn("location_cd") { _ in "@" },
            sourceColumn,
        ] + trail)

    /// Creates the row of a fact of a resource.
    init(_ fact: ObservationFact, of facts: PreparedFacts, encounter: Int64) {
        self.init(fact, modifier: "@", value: fact.value, of: facts, encounter: encounter)
    }

    /// Creates the modifier of a fact that contains the value as sent.
    init(_ original: FactValue, sentAs fact: ObservationFact, of facts: PreparedFacts, encounter: Int64) {
        self.init(
            fact, modifier: FactModifier.original.rawValue, value: original, of: facts, encounter: encounter)
    }

    /// Creates the modifier of a fact that names the warning about its value.
    init(_ warning: LoadWarning, about fact: ObservationFact, of facts: PreparedFacts, encounter: Int64) {
        self.init(
            fact, modifier: FactModifier.asText.rawValue, value: .text(warning.rawValue), of: facts,
            encounter: encounter)
    }

    /// Creates the modifier of a fact that names the source of its time.
    init(_ source: String, ofTimeOf fact: ObservationFact, of facts: PreparedFacts, encounter: Int64) {
        self.init(fact, modifier: source, value: facts.timeText, of: facts, encounter: encounter)
    }

    private init(
        _ fact: ObservationFact, modifier: String, value: FactValue, of facts: PreparedFacts, encounter: Int64
    ) {
        self.encounter = encounter
        concept = fact.concept
        self.modifier = modifier
        instance = Int64(facts.firstInstance + fact.instance - 1)
        (start, end) = (fact.time ?? facts.start, fact.time ?? facts.end)
        self.value = value.columns
    }
}

extension FactValue {
    /// The columns of a value.
    struct Columns {
        /// `valtype_cd`
        let type: SQLValue
        /// `tval_char`
        var text: SQLValue = .null
        /// `nval_num`
        var number: SQLValue = .null
        /// `units_cd`
        var units: SQLValue = "@"
        /// `observation_blob`
        var blob: SQLValue = .null
    }

    var columns: Columns {
        switch self {
        case .numeric(let value, let comparator, let unit):
            Columns(type: "N", text: .text(comparator), number: .real(value), units: unit.map { .text($0) } ?? "@")
        case .text(let value): Columns(type: "T", text: .text(value))
        case .blob(let value): Columns(type: "B", blob: .text(value))
        }
    }
}
