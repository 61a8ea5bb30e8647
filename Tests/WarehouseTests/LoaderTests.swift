import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

@Suite struct LoaderTests {
    @Test func aParticipantIsMappedFromTheirIdAndFromTheirNumber() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":1"#))
            try await fixture.load(observation(#""valueInteger":1"#, id: "o2"))
            try await fixture.load(observation(#""valueInteger":1"#, id: "o3"), subject: "p2")
            let rows = try await fixture.rows(
                "SELECT * FROM patient_mapping ORDER BY patient_num, patient_ide_source DESC"
            ).map { row in
                [
                    try row.text("patient_ide"), try row.text("patient_ide_source"),
                    "\(try row.integer("patient_num"))",
                    try row.text("patient_ide_status"), try row.text("project_id"), try row.text("sourcesystem_cd"),
                ]
            }
            #expect(
                rows == [
                    ["p1", "TRIBUTARY", "1", "A", "@", "TRIBUTARY"],
                    ["1", "HIVE", "1", "A", "@", "edu.harvard.i2b2.crc"],
                    ["p2", "TRIBUTARY", "2", "A", "@", "TRIBUTARY"],
                    ["2", "HIVE", "2", "A", "@", "edu.harvard.i2b2.crc"],
                ])
        }
    }

    @Test func aSourcesDayIsOneEncounterAndEachResponseOne() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":1"#))
            try await fixture.load(observation(#""valueInteger":1"#, id: "o2"))
            try await fixture.load(response(#"{"linkId":"hours","answer":[{"valueDecimal":7}]}"#))
            let rows = try await fixture.rows(
                "SELECT * FROM encounter_mapping ORDER BY encounter_num, encounter_ide_source DESC"
            ).map { row in
                "\(try row.text("encounter_ide")) \(try row.text("encounter_ide_source")) "
                    + "\(try row.integer("encounter_num")) \(try row.text("patient_ide"))"
            }
            #expect(
                rows == [
                    "TRIBUTARY:SOURCE-APP/2026-03-01 TRIBUTARY 1 p1", "1 HIVE 1 p1",
                    "QuestionnaireResponse/r1 TRIBUTARY 2 p1", "2 HIVE 2 p1",
                ])
            let visits = try await fixture.rows("SELECT * FROM visit_dimension ORDER BY encounter_num")
            #expect(visits.count == 2)
            #expect(try visits[0].text("start_date") == "2026-03-01 00:00:00")
            #expect(try visits[0].text("active_status_cd") == "YD")
        }
    }

    @Test func factHasItsTimesAndSource() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(
                observation(
                    #""valueQuantity":{"value":72.5,"code":"/min"}"#, time: #""issued":"2026-03-01T00:00:00Z""#),
                submission: "sub-9",
                received: "2026-05-01T12:00:00.900Z", loaded: "2026-05-02T00:00:00Z")
            let rows = try await fixture.rows(
                "SELECT f.*, u.upload_label FROM observation_fact f JOIN upload_status u USING (upload_id) "
                    + "ORDER BY modifier_cd")
            let row = try #require(rows.first)
            #expect(try row.text("update_date") == "2026-05-01 12:00:00")
            #expect(try row.text("download_date") == "2026-05-01 12:00:00")
            #expect(try row.text("import_date") == "2026-05-02 00:00:00")
            #expect(try row.text("sourcesystem_cd") == "TRIBUTARY")
            #expect(try row.text("upload_label") == "sub-9")
            #expect(try row.text("start_date") == "2026-03-01 00:00:00")
            #expect(try row.text("end_date") == "2026-03-01 00:00:00")
            #expect(try row.text("provider_id") == "@")
            #expect(try row.text("units_cd") == "/min")
            #expect(try row.integer("instance_num") == FactInstance.base(ofResource: "o1"))
            let modifier = try #require(rows.last)
            #expect(rows.count == 2)
            #expect(try modifier.text("modifier_cd") == "TRIBUTARY:TIME-ISSUED")
            #expect(try modifier.text("tval_char") == "2026-03-01T00:00:00Z")
            for key in ["concept_cd", "start_date", "provider_id", "encounter_num", "patient_num", "instance_num"] {
                #expect(row[key] == modifier[key], "a modifier shares \(key) with its fact")
            }
            let known = try await fixture.rows(
                "SELECT 1 FROM modifier_dimension WHERE modifier_cd = ?", [SQLValue("TRIBUTARY:TIME-ISSUED")])
            #expect(known.count == 1)
            // A time of issue equal to the time of measurement has no modifier.
            try await fixture.load(observation(#""valueInteger":1"#, id: "o2"), submission: "sub-10")
            let facts = try await fixture.rows(
                "SELECT modifier_cd FROM observation_fact f JOIN upload_status u USING (upload_id) "
                    + "WHERE u.upload_label = 'sub-10'")
            #expect(facts.map { $0.textIfPresent("modifier_cd") } == ["@"])
        }
    }

    @Test func currentVersionReplacesFactsAndFormerOnesDoNot() async throws {
        try await WarehouseFixture.with { fixture in
            let first = observation(#""valueInteger":1"#)
            let second = observation(#""valueInteger":2"#)
            try await fixture.load(first, submission: "a", received: "2026-05-01T12:00:00Z")
            // Within the same second: the times decide nothing here, the records do.
            try await fixture.load(second, submission: "b", received: "2026-05-01T12:00:00Z")
            let late = try await fixture.load(
                first, submission: "a", received: "2026-05-01T12:00:00Z", isCurrent: false)
            #expect(late.isOutdated)
            #expect(late.facts == 0)
            #expect(try await fixture.facts() == ["LOINC:8867-4|N|E|2.0|@"])
            let uploads = try await fixture.rows(
                "SELECT upload_label, loaded_record, no_of_record FROM upload_status ORDER BY upload_label"
            ).map {
                "\(try $0.text("upload_label")) \(try $0.integer("loaded_record")) \(try $0.integer("no_of_record"))"
            }
            #expect(uploads == ["a 0 0", "b 1 1"])
        }
    }

    @Test func newVersionRemovesAnswersThatItDoesNotHave() async throws {
        try await WarehouseFixture.with { fixture in
            let answer = #"{"linkId":"why","answer":[{"valueString":"x"}]}"#
            let other = #"{"linkId":"dreamt","answer":[{"valueBoolean":true}]}"#
            try await fixture.load(response(answer + "," + other))
            try await fixture.load(response(other), submission: "s2", received: "2026-05-02T12:00:00Z")
            #expect(try await fixture.facts().count == 1)
            #expect(try await fixture.rows("SELECT 1 FROM observation_fact").count == 1)
        }
    }

    @Test func aTextWithAZeroByteIsLoadedWithAReplacement() async throws {
        try await WarehouseFixture.with { fixture in
            let zero = "\\u0000"
            try await fixture.load(
                response(
                    #"{"linkId":"a\#(zero)","text":"t\#(zero)","answer":[{"valueString":"x\#(zero)y"}]}"#))
            #expect(try await fixture.facts().map { $0.split(separator: "|")[2] } == ["x\u{FFFD}y"])
            try await fixture.load(#"{"resourceType":"Patient","id":"p1","address":[{"state":"\#(zero)"}]}"#)
        }
    }

    @Test func theTablesHaveI2b2sColumns() async throws {
        let expected = [
            "observation_fact":
                "encounter_num patient_num concept_cd provider_id start_date modifier_cd instance_num valtype_cd tval_char nval_num valueflag_cd quantity_num units_cd end_date location_cd observation_blob confidence_num update_date download_date import_date sourcesystem_cd upload_id text_search_index",
            "patient_dimension":
                "patient_num vital_status_cd birth_date death_date sex_cd age_in_years_num language_cd race_cd marital_status_cd religion_cd zip_cd statecityzip_path income_cd patient_blob update_date download_date import_date sourcesystem_cd upload_id",
            "visit_dimension":
                "encounter_num patient_num active_status_cd start_date end_date inout_cd location_cd location_path length_of_stay visit_blob update_date download_date import_date sourcesystem_cd upload_id",
            "concept_dimension":
                "concept_path concept_cd name_char concept_blob update_date download_date import_date sourcesystem_cd upload_id",
            "modifier_dimension":
                "modifier_path modifier_cd name_char modifier_blob update_date download_date import_date sourcesystem_cd upload_id",
            "provider_dimension":
                "provider_id provider_path name_char provider_blob update_date download_date import_date sourcesystem_cd upload_id",
            "patient_mapping":
                "patient_ide patient_ide_source patient_num patient_ide_status project_id upload_date update_date download_date import_date sourcesystem_cd upload_id",
            "encounter_mapping":
                "encounter_ide encounter_ide_source project_id encounter_num patient_ide patient_ide_source encounter_ide_status upload_date update_date download_date import_date sourcesystem_cd upload_id",
            "code_lookup":
                "table_cd column_cd code_cd name_char lookup_blob upload_date update_date download_date import_date sourcesystem_cd upload_id",
            "upload_status":
                "upload_id upload_label user_id source_cd no_of_record loaded_record deleted_record load_date end_date load_status message input_file_name log_file_name transform_name",
            "custom_meta":
                "c_hlevel c_fullname c_name c_synonym_cd c_visualattributes c_totalnum c_basecode c_metadataxml c_facttablecolumn c_tablename c_columnname c_columndatatype c_operator c_dimcode c_comment c_tooltip m_applied_path update_date download_date import_date sourcesystem_cd valuetype_cd m_exclusion_cd c_path c_symbol",
            "table_access":
                "c_table_cd c_table_name c_protected_access c_ontology_protection c_hlevel c_fullname c_name c_synonym_cd c_visualattributes c_totalnum c_basecode c_metadataxml c_facttablecolumn c_dimtablename c_columnname c_columndatatype c_operator c_dimcode c_comment c_tooltip c_entry_date c_change_date c_status_cd valuetype_cd",
            "schemes": "c_key c_name c_description",
        ]
        let keys = [
            "observation_fact":
                "patient_num concept_cd modifier_cd start_date encounter_num instance_num provider_id",
            "visit_dimension": "encounter_num patient_num", "patient_dimension": "patient_num",
            "concept_dimension": "concept_path", "modifier_dimension": "modifier_path",
            "provider_dimension": "provider_path provider_id",
            "patient_mapping": "patient_ide patient_ide_source project_id",
            "encounter_mapping": "encounter_ide encounter_ide_source project_id patient_ide patient_ide_source",
            "code_lookup": "table_cd column_cd code_cd", "upload_status": "upload_id", "schemes": "c_key",
        ]
        try await WarehouseFixture.with { fixture in
            for (table, columns) in expected {
                let (names, key) = try await fixture.database.read {
                    (try $0.columnNames(of: table), try $0.keyColumnNames(of: table))
                }
                #expect(names.joined(separator: " ") == columns, "\(table)")
                #expect(key.joined(separator: " ") == keys[table, default: ""], "\(table)")
            }
        }
    }
}
