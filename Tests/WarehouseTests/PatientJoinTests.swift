import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

@Suite struct PatientJoinTests {
    private let record = PatientJoin.SiteRecord(name: "4711", source: "EPIC")
    private let now = instant("2026-06-01T00:00:00Z")
    private let patient = #"{"resourceType":"Patient","id":"p1","gender":"female","birthDate":"1990"}"#

    /// A warehouse in which the site has a patient, 500, with a fact of the same concept as the participant's.
    private func withSite(_ body: (WarehouseFixture) async throws -> Void) async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":72"#))
            try await fixture.load(patient)
            try await fixture.database.write { transaction in
                for (ide, source) in [("4711", "EPIC"), ("500", "HIVE")] {
                    try transaction.execute(
                        """
                        INSERT INTO patient_mapping (patient_ide, patient_ide_source, patient_num, patient_ide_status,
                            project_id, update_date, sourcesystem_cd)
                        VALUES (?, ?, 500, 'A', '@', '2020-01-01 00:00:00', 'EPIC')
                        """, [SQLValue(ide), SQLValue(source)])
                }
                for statement in [
                    """
                    INSERT INTO patient_dimension (patient_num, vital_status_cd, birth_date, sex_cd, age_in_years_num,
                        update_date, sourcesystem_cd, upload_id)
                    VALUES (500, 'N', '1930-02-03 00:00:00', 'F', 96, '2020-01-01 00:00:00', 'EPIC', 77)
                    """,
                    """
                    INSERT INTO visit_dimension (encounter_num, patient_num, start_date, sourcesystem_cd)
                    VALUES (9000, 500, '2020-01-01 00:00:00', 'EPIC')
                    """,
                    """
                    INSERT INTO encounter_mapping (encounter_ide, encounter_ide_source, project_id, encounter_num,
                        patient_ide, patient_ide_source) VALUES ('V1', 'EPIC', '@', 9000, '4711', 'EPIC')
                    """,
                    """
                    INSERT INTO observation_fact (encounter_num, patient_num, concept_cd, provider_id, start_date,
                        valtype_cd, tval_char, nval_num, sourcesystem_cd)
                    VALUES (9000, 500, 'ICD10CM:I10', '@', '2020-01-01 00:00:00', 'N', 'E', 1, 'EPIC')
                    """,
                ] { try transaction.execute(statement) }
            }
            try await body(fixture)
        }
    }

    /// All rows of the site.
    private func site(_ fixture: WarehouseFixture) async throws -> [String] {
        var lines: [String] = []
        for (table, condition) in [
            ("patient_mapping", "patient_num = 500 AND sourcesystem_cd = 'EPIC'"),
            ("patient_dimension", "sourcesystem_cd = 'EPIC'"), ("visit_dimension", "sourcesystem_cd = 'EPIC'"),
            ("encounter_mapping", "patient_ide_source = 'EPIC'"), ("observation_fact", "sourcesystem_cd = 'EPIC'"),
        ] {
            lines += try await fixture.rows("SELECT * FROM \(table) WHERE \(condition)").map { row in
                "\(table) " + (0..<25).map { "\(row[$0])" }.joined(separator: ", ")
            }
        }
        return lines.sorted()
    }

    private func join(
        _ fixture: WarehouseFixture, _ participant: String = "p1", with record: PatientJoin.SiteRecord? = nil
    ) async throws -> PatientJoin.Outcome {
        let record = record ?? self.record
        return try await fixture.database.write {
            try PatientJoin().join(participant, with: record, at: now, in: $0)
        }
    }

    private func end(_ fixture: WarehouseFixture, source: String? = "EPIC") async throws -> PatientJoin.Outcome {
        try await fixture.database.write { try PatientJoin().end("p1", source: source, at: now, in: $0) }
    }

    /// The patients with both the site's and the participant's fact, as the CRC asks.
    private func both(_ fixture: WarehouseFixture) async throws -> [Int64] {
        try await fixture.rows(
            """
            SELECT DISTINCT a.patient_num FROM observation_fact a JOIN observation_fact b ON b.patient_num = a.patient_num
            WHERE a.concept_cd = 'LOINC:8867-4' AND b.concept_cd = 'ICD10CM:I10'
            """
        ).map { try $0.integer("patient_num") }
    }

    @Test func joinedParticipantIsThePatientOfTheSite() async throws {
        try await withSite { fixture in
            let before = try await site(fixture)
            #expect(try await both(fixture) == [])
            #expect(try await join(fixture) == .changed)
            #expect(try await both(fixture) == [500])
            #expect(try await site(fixture) == before)
            #expect(try await join(fixture) == .unchanged)
            // Later data of the participant, and all facts made again, keep the number and the site's rows.
            try await fixture.load(observation(#""valueInteger":80"#, id: "o2"), submission: "s2")
            try await fixture.load(patient.replacing("1990", with: "1991"), submission: "s3")
            try await fixture.database.write { try WarehouseLoader().aggregateAges(at: now, in: $0) }
            let own = try await fixture.rows(
                "SELECT DISTINCT patient_num FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY'")
            #expect(try own.map { try $0.integer("patient_num") } == [500])
            #expect(try await site(fixture) == before)
            let counts = try await fixture.database.read { try WarehouseQuery().factCounts(of: "p1", in: $0) }
            #expect(counts.facts == 2, "the participant's own facts")
        }
    }

    @Test func endOfAJoinRestoresTheNumberAndTheRows() async throws {
        try await withSite { fixture in
            let before = try await site(fixture)
            let columns = "SELECT patient_num, sourcesystem_cd FROM"
            func own() async throws -> [String] {
                try await fixture.rows(
                    """
                    \(columns) observation_fact WHERE sourcesystem_cd = 'TRIBUTARY'
                    UNION ALL \(columns) visit_dimension WHERE sourcesystem_cd = 'TRIBUTARY'
                    UNION ALL \(columns) patient_mapping WHERE patient_num <> 500
                    UNION ALL \(columns) patient_dimension WHERE sourcesystem_cd = 'TRIBUTARY'
                    """
                ).map { "\($0[0]) \($0[1])" }.sorted()
            }
            let present = try await own()
            _ = try await join(fixture)
            #expect(try await own() != present)
            #expect(try await end(fixture, source: "OTHER") == .unchanged)
            #expect(try await end(fixture) == .changed)
            #expect(try await own() == present)
            #expect(try await site(fixture) == before)
            #expect(try await end(fixture) == .unchanged)
            #expect(try await both(fixture) == [])
        }
    }

    @Test func deletionAndUndoLeaveTheSiteItsRows() async throws {
        for isDeletion in [true, false] {
            try await withSite { fixture in
                let before = try await site(fixture)
                _ = try await join(fixture)
                _ = try await fixture.database.write { transaction in
                    if isDeletion {
                        _ = try WarehouseLoader().delete(participant: "p1", in: transaction)
                    } else {
                        _ = try WarehouseLoader().undoAll(in: transaction)
                    }
                }
                #expect(try await site(fixture) == before)
                let left = try await fixture.rows("SELECT 1 FROM observation_fact WHERE sourcesystem_cd = 'TRIBUTARY'")
                #expect(left.isEmpty)
            }
        }
    }

    @Test func otherRecordsAreRefusedAndNothingChanges() async throws {
        try await withSite { fixture in
            try await fixture.load(observation(#""valueInteger":1"#, id: "o9"), subject: "p2", submission: "s9")
            func refused(_ participant: String, _ name: String, source: String = "EPIC") async -> String? {
                let record = PatientJoin.SiteRecord(name: name, source: source)
                let error = await #expect(throws: WarehouseError.self) {
                    _ = try await join(fixture, participant, with: record)
                }
                return error?.code
            }
            #expect(await refused("p1", "4712") == "site-patient-unknown")
            #expect(await refused("p1", "4711", source: "OTHER") == "site-patient-unknown")
            #expect(await refused("p1", "500", source: "HIVE") == "site-patient-unknown")
            #expect(await refused("p1", "p2", source: "TRIBUTARY") == "site-patient-unknown")
            #expect(try await join(fixture, "unknown") == .notLoaded)
            _ = try await join(fixture)
            #expect(await refused("p2", "4711") == "site-patient-taken")
            _ = try await fixture.database.write { transaction in
                try transaction.execute("UPDATE patient_mapping SET patient_ide = '4713' WHERE patient_ide = '4711'")
                try transaction.execute(
                    """
                    INSERT INTO patient_mapping (patient_ide, patient_ide_source, patient_num, project_id)
                    SELECT '4714', 'EPIC', patient_num, '@' FROM warehouse_patient WHERE participant = 'p2'
                    """)
            }
            #expect(await refused("p1", "4714") == "join-other-record")
        }
    }
}
