import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import TestSupport
import Testing

@testable import Warehouse

/// A warehouse in a temporary folder.
struct WarehouseFixture {
    let database: any SQLDatabase
    let loader = WarehouseLoader()
    private let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("warehouse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await TestEngine.chosen.open(
            path: folder.appendingPathComponent("test.sqlite").path,
            migrations: [.baseline(of: "records", RecordsSchema.sections + WarehouseSchema.sections)])
    }

    func close() async throws {
        try await database.close()
        try FileManager.default.removeItem(at: folder)
    }

    /// Runs the body with a new warehouse.
    static func with(_ body: (WarehouseFixture) async throws -> Void) async throws {
        let fixture = try await WarehouseFixture()
        try await body(fixture)
        try await fixture.close()
    }

    @discardableResult
    func load(
        _ json: String, questionnaire: Questionnaire? = nil, subject: String = "p1", submission: String = "s1",
        received: String = "2026-05-01T12:00:00Z", loaded: String = "2026-05-01T12:00:05Z", isCurrent: Bool = true
    ) async throws -> LoadReport {
        let resource = try Resource(Data(json.utf8))
        let context = LoadContext(
            subject: subject, submissionID: submission, receivedAt: instant(received), loadedAt: instant(loaded))
        let loader = loader
        let provenance = RecordProvenance(
            submissionID: submission, clientID: "c", keyID: nil, receivedAt: instant(received))
        return try await database.write { transaction in
            let put = try RecordStore().write(provenance, at: instant(loaded), in: transaction) {
                try $0.put(
                    NewRecord(
                        resource, id: resource.id ?? "", subject: subject, content: Data(json.utf8), original: nil))
            }
            let entry = try WarehouseEntry(
                resource, form: questionnaire.map { SurveyConcepts($0) }, receivedAt: context.receivedAt)
            return try loader.upload(context, in: transaction) {
                try $0.load(
                    entry, of: put.number, isNew: put.outcome == .created, isCurrent: isCurrent && put.isCurrent)
            }
        }
    }

    func ontology(_ form: Questionnaire) async throws {
        let loader = loader
        try await database.write { transaction in
            try loader.ensureOntology(questionnaire: form, at: instant("2026-01-01T00:00:00Z"), in: transaction)
        }
    }

    func count(_ path: String, _ value: String? = nil, from: String? = nil, to: String? = nil) async throws -> Int {
        let constraint = try value.map { try ValueConstraint.parse($0) }
        return try await database.read { transaction in
            try WarehouseQuery().count(
                path: path, value: constraint, from: from.map(instant), to: to.map(instant), in: transaction
            ).patients
        }
    }

    func rows(_ sql: String, _ parameters: [SQLValue] = []) async throws -> [SQLRow] {
        try await database.read { try $0.query(sql, parameters) }
    }

    /// The columns of the rows, each row as a line of JSON.
    func lines(_ columns: String, _ rest: String) async throws -> [String] {
        let isSQLite = try await database.read { $0.dialect == .sqlite }
        let array = isSQLite ? "json_array" : "json_build_array"
        let columns = isSQLite ? columns : columns.replacing(/hex\(([a-z.]+)\)/) { "encode(\($0.output.1), 'hex')" }
        let common = """
            WITH p AS (SELECT patient_num, patient_ide FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'),
            e AS (SELECT encounter_num, encounter_ide FROM encounter_mapping WHERE encounter_ide_source = 'TRIBUTARY'),
            u AS (SELECT upload_id, upload_label FROM upload_status)
            """
        return try await rows("\(common) SELECT CAST(\(array)(\(columns)) AS text) AS line \(rest)")
            .map { try $0.text("line") }
    }

    /// The facts without their modifiers, as `code|type|text|number|units`.
    func facts() async throws -> [String] {
        try await rows(
            """
            SELECT concept_cd, valtype_cd, tval_char, nval_num, units_cd, observation_blob FROM observation_fact
            WHERE modifier_cd = '@' ORDER BY encounter_num, \(TestEngine.chosen == .sqlite ? "rowid" : "ctid")
            """
        ).map { row in
            [
                try row.text("concept_cd"), try row.text("valtype_cd"),
                row.textIfPresent("tval_char") ?? row.textIfPresent("observation_blob") ?? "",
                row.realIfPresent("nval_num").map { "\($0)" } ?? "", try row.text("units_cd"),
            ].joined(separator: "|")
        }
    }

    func paths() async throws -> [String] {
        try await database.read { try WarehouseQuery().ontology(in: $0).map(\.path) }
    }
}

func instant(_ text: String) -> Date { DateTime(text)?.start() ?? .distantPast }

func form(_ json: String) throws -> Questionnaire { Questionnaire(try Resource(Data(json.utf8)).object) }

func mapped(_ json: String, questionnaire: Questionnaire? = nil) throws -> FactSet {
    try #require(
        FactMapping.facts(
            of: Resource(Data(json.utf8)), survey: questionnaire.map { SurveyConcepts($0) },
            receivedAt: instant("2026-05-01T12:00:00Z")))
}

func response(_ items: String, id: String = "r1", form: String = "http://example.org/sleep|1", extra: String = "")
    -> String
{
    """
    {"resourceType":"QuestionnaireResponse","id":"\(id)","status":"completed","questionnaire":"\(form)",\(extra)\
    "subject":{"reference":"Patient/p1"},"authored":"2026-03-01T10:00:00.250+02:00","item":[\(items)]}
    """
}

func observation(
    _ value: String, id: String = "o1", code: String = "8867-4", time: String = #""effectiveDateTime":"2026-03-01""#
) -> String {
    """
    {"resourceType":"Observation","id":"\(id)","status":"final",\(time.isEmpty ? "" : time + ",")\
    "code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}]},\(value)}
    """
}

/// A form of three kinds of question, with an option of a known system, and one set of options under two questions.
let sleepForm = """
    {"resourceType":"Questionnaire","id":"sleep","url":"http://example.org/sleep","version":"1","status":"active",
     "title":"Sleep","item":[
      {"linkId":"g","type":"group","text":"Night","item":[
       {"linkId":"hours","type":"decimal","text":"Hours slept","code":[{"system":"http://loinc.org","code":"93832-4"}]},
       {"linkId":"calm","type":"choice","text":"Calm?","answerOption":[
        {"valueCoding":{"system":"http://loinc.org","code":"LA6568-5","display":"Not at all"}},
        {"valueCoding":{"system":"http://loinc.org","code":"LA6569-3","display":"Several days"}}]},
       {"linkId":"tired","type":"choice","text":"Tired?","answerOption":[
        {"valueCoding":{"system":"http://loinc.org","code":"LA6568-5","display":"Not at all"}},
        {"valueCoding":{"system":"http://loinc.org","code":"LA6569-3","display":"Several days"}}]}]},
      {"linkId":"drugs","type":"choice","repeats":true,"text":"What did you take?","answerOption":[
       {"valueCoding":{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911","display":"Melatonin"}},
       {"valueCoding":{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"861007","display":"Other"}},
       {"valueCoding":{"system":"http://example.org/own","code":"tea","display":"Tea"}}]},
      {"linkId":"why","type":"text","text":"Why?"},
      {"linkId":"dreamt","type":"boolean","text":"Did you dream?"}]}
    """

/// Published forms.
extension PublishedData {
    /// All published forms except those that no strict reader accepts.
    static func questionnaires() -> [Questionnaire] {
        guard let root = url("questionnaires") else { return [] }
        return files(below: root).compactMap { file in
            (try? Data(contentsOf: file)).flatMap { try? Resource($0, lenient: true) }?.as(Questionnaire.self)
        }
    }

    static func phq9() throws -> Questionnaire {
        let file = try #require(url("questionnaires/researchkit-on-fhir/PHQ-9.json"))
        return Questionnaire(try Resource(Data(contentsOf: file)).object)
    }
}
