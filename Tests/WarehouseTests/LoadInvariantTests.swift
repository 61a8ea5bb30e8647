import FHIR
import Foundation
import Storage
import Testing

@testable import Warehouse

/// Loading the same resources in any order, any number of times, gives the same rows.
@Suite struct LoadInvariantTests {
    /// A generator whose runs can be repeated.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test func anyOrderOfRetriesGivesTheSameRows() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = Seeded(state: seed)
        let loads = try self.loads(using: &generator)
        var dumps: [[String]] = []
        for round in 0..<4 {
            var order = loads
            if round > 0 {
                order += loads.filter { _ in Bool.random(using: &generator) }
                order.shuffle(using: &generator)
            }
            try await WarehouseFixture.with { fixture in
                try await fixture.load(order)
                let dump = try await dump(fixture)
                // Once more, all of them: nothing changes.
                try await fixture.load(order.reversed())
                #expect(try await self.dump(fixture) == dump, "seed \(seed)")
                dumps.append(dump)
            }
        }
        #expect(dumps[0].count > 100)
        for dump in dumps.dropFirst() {
            let missing = Set(dumps[0]).subtracting(dump).sorted().prefix(3)
            let added = Set(dump).subtracting(dumps[0]).sorted().prefix(3)
            #expect(missing.isEmpty && added.isEmpty && dump.count == dumps[0].count, "seed \(seed)")
        }
    }

    /// Responses, observations, patients, contracts and withdrawals of three participants, most in two versions.
    private func loads(using generator: inout Seeded) throws -> [WarehouseFixture.Load] {
        let survey = try form(sleepForm)
        var loads: [WarehouseFixture.Load] = []
        var second = 0
        for person in 1...3 {
            for number in 1...6 {
                for _ in 1...Int.random(in: 1...2, using: &generator) {
                    let value = Int.random(in: 0...9, using: &generator)
                    let json =
                        switch number {
                        case 1:
                            #"{"resourceType":"Patient","id":"p\#(person)","gender":"female","birthDate":"19\#(value + 50)"}"#
                        case 2:
                            #"{"resourceType":"Contract","id":"c\#(person)","instantiatesUri":"http://x/c|\#(value)","signer":[{"party":{"reference":"Patient/p\#(person)"},"signature":[{"when":"2026-01-0\#(value + 1 > 9 ? 9 : value + 1)T00:00:00Z"}]}]}"#
                        case 3:
                            #"{"resourceType":"Consent","id":"w\#(person)","status":"inactive","dateTime":"2026-04-01","sourceReference":{"reference":"Contract/c\#(person)"}}"#
                        case 4:
                            observation(#""valueQuantity":{"value":\#(value)}"#, id: "o\(person)-\(value % 2)")
                        default:
                            response(
                                """
                                {"linkId":"hours","answer":[{"valueDecimal":\(value)}]},{"linkId":"drugs","answer":[
                                {"valueCoding":{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1484911"}},
                                {"valueCoding":{"system":"http://example.org/own","code":"tea"}}]}
                                """, id: "r\(person)-\(number)")
                        }
                    second += 1
                    loads.append(
                        WarehouseFixture.Load(
                            try Resource(Data(json.utf8)), questionnaire: survey, subject: "p\(person)",
                            submission: "s\(second / 2)-\(person)",
                            received: instant("2026-05-01T00:00:00Z").addingTimeInterval(Double(second)),
                            loaded: instant("2026-05-02T00:00:00Z").addingTimeInterval(
                                Double.random(in: 0...1e6, using: &generator))))
                }
            }
        }
        return loads
    }

    /// All rows with the numbers that the order of loading gave replaced by what they stand for, and without the times
    /// of loading.
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
                contract_id, patient_ide, template_url, template_version, signed_at, shares_widely, status_cd, withdrawn_at
                """, "FROM consent_contract JOIN p USING (patient_num)"
            ),
            ("concept_path, concept_cd, name_char", "FROM concept_dimension"),
            ("c_fullname, c_hlevel, c_name, c_visualattributes, c_basecode, c_comment", "FROM custom_meta"),
        ]
        var dump: [String] = []
        for (number, table) in tables.enumerated() {
            dump += try await fixture.lines(table.0, table.1).map { "\(number) \($0)" }.sorted()
        }
        return dump
    }
}
