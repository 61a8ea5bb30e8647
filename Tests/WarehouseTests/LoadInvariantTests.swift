import FHIR
import Foundation
import RecordStorage
import Storage
import TestSupport
import Testing

@testable import Warehouse

/// Processing the same submissions in any order, any number of times, has the same result as processing them in the
/// order of arrival.
@Suite struct LoadInvariantTests {
    /// A submission as the queue returns it: of one participant, with one or several resources.
    private struct Submission: Sendable {
        let number: Int64
        let subject: String
        let received: Date
        let resources: [Data]

        var order: RecordOrder { provenance.order }

        var provenance: RecordProvenance {
            RecordProvenance(
                submissionID: "s\(number)", clientID: "device-\(subject)", keyID: nil, receivedAt: received,
                number: number)
        }
    }

    @Test func anyOrderOfProcessingHasTheResultOfTheOrderOfReceipt() async throws {
        let seed = Seeded.newSeed()
        var generator = Seeded(seed)
        let submissions = try self.submissions(using: &generator)
        let expected = try await dump(submissions.sorted { $0.order < $1.order })
        #expect(expected.count > 100)
        for round in 1...12 {
            var order = submissions + submissions.filter { _ in Bool.random(using: &generator) }
            order.shuffle(using: &generator)
            let found = try await dump(order)
            let missing = Set(expected).subtracting(found).sorted().prefix(3)
            let added = Set(found).subtracting(expected).sorted().prefix(3)
            #expect(
                missing.isEmpty && added.isEmpty && found.count == expected.count,
                "seed \(seed), round \(round): \(missing) \(added)")
        }
    }

    /// Responses, observations, patients, contracts and withdrawals of three participants. There are few ids, few
    /// contents and few times, so that the majority of resources have several versions, some come twice, and some have
    /// the same millisecond.
    private func submissions(using generator: inout Seeded) throws -> [Submission] {
        try (1...Int64(70)).map { number in
            let person = Int.random(in: 1...3, using: &generator)
            let received = instant("2026-05-01T00:00:00Z").addingTimeInterval(
                Double(Int.random(in: 0...3, using: &generator))
                    + Double(Int.random(in: 0...3, using: &generator)) / 1000)
            let resources = try (1...Int.random(in: 1...3, using: &generator)).map { _ in
                try resource(person, using: &generator)
            }
            return Submission(number: number, subject: "p\(person)", received: received, resources: resources)
        }
    }

    private func resource(_ person: Int, using generator: inout Seeded) throws -> Data {
        let value = Int.random(in: 0...3, using: &generator)
        let patient = #"{"reference":"Patient/p\#(person)"}"#
        let json =
            switch Int.random(in: 1...7, using: &generator) {
            case 1:
                #"{"resourceType":"Patient","id":"p\#(person)","gender":"female","birthDate":"19\#(value + 50)"}"#
            case 2:
                #"{"resourceType":"Contract","id":"c\#(person)","instantiatesUri":"http://x/c|\#(value)","signer":[{"party":\#(patient),"signature":[{"when":"2026-01-0\#(value + 1)T00:00:00Z"}]}]}"#
            case 3:
                #"{"resourceType":"Consent","id":"w\#(person)","status":"\#(value == 0 ? "active" : "inactive")","patient":\#(patient),"dateTime":"2026-04-0\#(value + 1)","sourceReference":{"reference":"Contract/c\#(person)"}}"#
            case 4:
                observation(
                    #""subject":\#(patient),"value\#(["Integer\":1", "String\":\"x\"", "Quantity\":{\"value\":2}", "Boolean\":true"][value])"#,
                    id: "o\(person)-\(Int.random(in: 1...2, using: &generator))", code: "\(value % 2)777-1",
                    time: #""effectiveDateTime":"2026-03-0\#(Int.random(in: 1...2, using: &generator))T23:30:00-05:00""#
                )
            case 5:
                observation(
                    #""subject":\#(patient),"valueCodeableConcept":{"coding":[{"system":"http://snomed.info/sct","code":"37306600\#(value)"}]}"#,
                    id: "o\(person)", code: "1777-1")
            default:
                response(
                    """
                    {"linkId":"hours","answer":[{"valueDecimal":\(value)}]},{"linkId":"drugs","answer":[
                    {"valueCoding":{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}},
                    {"valueCoding":{"system":"http://example.org/own","code":"tea"}}]}
                    """, id: "r\(person)"
                ).replacingOccurrences(of: "Patient/p1", with: "Patient/p\(person)")
            }
        return Data(json.utf8)
    }

    /// The contents of records and warehouse after the consumer's processing of the submissions.
    private func dump(_ order: [Submission]) async throws -> [String] {
        let survey = SurveyConcepts(try form(sleepForm))
        let at = instant("2026-05-02T00:00:00Z")
        let fixture = try await WarehouseFixture()
        let loader = fixture.loader
        try await fixture.database.write { transaction in
            for submission in order {
                let context = LoadContext(
                    subject: submission.subject, submissionID: submission.provenance.submissionID,
                    receivedAt: submission.received, loadedAt: at)
                for content in submission.resources {
                    let resource = try Resource(content)
                    let put = try RecordStore().put(
                        resource, content: content, original: nil, id: resource.id ?? "",
                        provenance: submission.provenance, at: at, in: transaction)
                    let entry = try WarehouseEntry(resource, form: survey, receivedAt: submission.received)
                    try loader.load(entry, put, context: context, in: transaction)
                }
            }
        }
        let dump = try await dump(fixture)
        try await fixture.close()
        return dump
    }

    /// All rows of the current state, of records and warehouse. Numbers that depend on the order of processing are
    /// replaced by the names that they refer to.
    private func dump(_ fixture: WarehouseFixture) async throws -> [String] {
        let tables = [
            (
                """
                encounter_ide, patient_ide, upload_label, concept_cd, provider_id, start_date, modifier_cd, instance_num,
                valtype_cd, tval_char, nval_num, valueflag_cd, units_cd, end_date, location_cd, observation_blob,
                f.update_date, f.download_date, f.sourcesystem_cd
                """,
                """
                FROM observation_fact f JOIN p USING (patient_num) JOIN e USING (encounter_num)
                LEFT JOIN u USING (upload_id)
                """
            ),
            (
                """
                encounter_ide, patient_ide, upload_label, active_status_cd, start_date, end_date, v.update_date,
                v.download_date, v.sourcesystem_cd
                """,
                """
                FROM visit_dimension v JOIN p USING (patient_num) JOIN e USING (encounter_num)
                LEFT JOIN u USING (upload_id)
                """
            ),
            (
                """
                patient_ide, upload_label, vital_status_cd, birth_date, sex_cd, age_in_years_num, zip_cd,
                statecityzip_path, d.update_date, d.download_date, d.sourcesystem_cd
                """, "FROM patient_dimension d JOIN p USING (patient_num) LEFT JOIN u USING (upload_id)"
            ),
            (
                "patient_ide, update_date, download_date, sourcesystem_cd",
                "FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY'"
            ),
            (
                "encounter_ide, patient_ide, upload_label, m.update_date, m.download_date",
                """
                FROM encounter_mapping m LEFT JOIN u USING (upload_id) WHERE encounter_ide_source = 'TRIBUTARY'
                """
            ),
            (
                "upload_label, user_id, source_cd, no_of_record, loaded_record, deleted_record, load_status",
                "FROM upload_status"
            ),
            (
                """
                contract_id, patient_ide, template_url, template_version, signed_at, shares_widely, status_cd,
                withdrawn_at, c.update_date, CASE WHEN c.update_date IS NULL THEN '' ELSE upload_label END
                """, "FROM consent_contract c JOIN p USING (patient_num) LEFT JOIN u USING (upload_id)"
            ),
            ("concept_path, concept_cd, name_char", "FROM concept_dimension"),
            (
                "c_fullname, c_hlevel, c_name, c_visualattributes, c_basecode, c_comment, c_metadataxml",
                "FROM custom_meta"
            ),
            ("c_key, c_name", "FROM schemes"), ("modifier_cd", "FROM modifier_dimension"),
            (
                "r.type, r.id, r.subject, r.deleted, r.received_ms, r.received_number, hex(v.content)",
                "FROM record r JOIN record_version v ON v.number = r.number AND v.version = r.version"
            ),
            (
                "r.type, r.id, c.parameter, c.system, c.code, c.display",
                "FROM record r JOIN record_term t USING (number) JOIN search_term c ON c.number = t.term"
            ),
            (
                "r.type, r.id, c.parameter, c.system, hex(i.print)",
                "FROM record r JOIN record_print i USING (number) JOIN search_term c ON c.number = i.term"
            ),
            (
                "r.type, r.id, c.parameter, c.code, n.low, n.high, n.implicit_low, n.implicit_high",
                "FROM record r JOIN record_number n USING (number) JOIN search_term c ON c.number = n.term"
            ),
            (
                "r.type, r.id, c.parameter, n.folded, n.exact",
                "FROM record r JOIN record_text n USING (number) JOIN search_term c ON c.number = n.term"
            ), ("type, id, date_low, date_high", "FROM record"),
        ]
        var dump: [String] = []
        for (number, table) in tables.enumerated() {
            dump += try await fixture.lines(table.0, table.1).map { "\(number) \($0)" }.sorted()
        }
        return dump
    }
}
