import FHIR
import Foundation
import Storage
import Testing

@testable import Warehouse

/// The measurements of a participant on one day from one kind of source are one encounter. Each resource keeps its own
/// facts in it.
@Suite struct DayEncounterTests {
    private func load(
        _ fixture: WarehouseFixture, id: String, value: Int, at time: String, submission: String = "s1",
        received: String = "2026-05-01T12:00:00Z"
    ) async throws {
        try await fixture.load(
            observation("\"valueInteger\":\(value)", id: id, time: "\"effectiveDateTime\":\"\(time)\""),
            submission: submission, received: received)
    }

    /// The encounters and the values in them.
    private func encounters(_ fixture: WarehouseFixture) async throws -> [String] {
        try await fixture.rows(
            """
            SELECT m.encounter_ide, v.start_date, f.nval_num FROM encounter_mapping m
            JOIN visit_dimension v ON v.encounter_num = m.encounter_num
            LEFT JOIN observation_fact f ON f.encounter_num = m.encounter_num
            WHERE m.encounter_ide_source = 'TRIBUTARY' ORDER BY m.encounter_ide, f.nval_num
            """
        ).map { row in
            [
                try row.text("encounter_ide").replacingOccurrences(of: "TRIBUTARY:SOURCE-", with: ""),
                String(try row.text("start_date").prefix(10)),
                row.realIfPresent("nval_num").map { "\(Int($0))" } ?? "-",
            ].joined(separator: " ")
        }.sorted()
    }

    @Test func theDayIsThePersonsOwn() async throws {
        try await WarehouseFixture.with { fixture in
            try await load(fixture, id: "a", value: 1, at: "2026-03-01T23:30:00-05:00")
            try await load(fixture, id: "b", value: 2, at: "2026-03-01T00:10:00+13:00")
            try await load(fixture, id: "c", value: 3, at: "2026-03-02")
            try await load(fixture, id: "d", value: 4, at: "2026-04")
            #expect(
                try await encounters(fixture) == [
                    "APP/2026-03-01 2026-03-01 1", "APP/2026-03-01 2026-03-01 2", "APP/2026-03-02 2026-03-02 3",
                    "APP/2026-04-01 2026-04-01 4",
                ])
        }
    }

    @Test func correctionMovesOnlyTheFactsOfItsResource() async throws {
        try await WarehouseFixture.with { fixture in
            try await load(fixture, id: "a", value: 1, at: "2026-03-01T08:00:00Z")
            try await load(fixture, id: "b", value: 2, at: "2026-03-01T08:00:00Z")
            try await load(
                fixture, id: "a", value: 3, at: "2026-03-05T08:00:00Z", submission: "s2",
                received: "2026-05-02T12:00:00Z")
            #expect(
                try await encounters(fixture) == ["APP/2026-03-01 2026-03-01 2", "APP/2026-03-05 2026-03-05 3"])
            // The last fact of a day takes the encounter with it.
            try await load(
                fixture, id: "b", value: 4, at: "2026-03-05T08:00:00Z", submission: "s3",
                received: "2026-05-03T12:00:00Z")
            #expect(
                try await encounters(fixture) == ["APP/2026-03-05 2026-03-05 3", "APP/2026-03-05 2026-03-05 4"])
            #expect(try await fixture.rows("SELECT 1 FROM encounter_mapping").count == 2)
            let counts = try await fixture.rows("SELECT loaded_record FROM upload_status ORDER BY upload_label")
            #expect(try counts.map { try $0.integer("loaded_record") } == [0, 1, 1])
        }
    }

    @Test func undoOfAnUploadKeepsOtherUploadsOfTheDay() async throws {
        try await WarehouseFixture.with { fixture in
            try await load(fixture, id: "a", value: 1, at: "2026-03-01T08:00:00Z", submission: "a")
            try await load(fixture, id: "b", value: 2, at: "2026-03-01T09:00:00Z", submission: "b")
            for (upload, left) in [("a", ["APP/2026-03-01 2026-03-01 2"]), ("b", [])] {
                try await fixture.database.write {
                    _ = try WarehouseLoader().undo(upload: upload, at: instant("2026-05-02"), in: $0)
                }
                #expect(try await encounters(fixture) == left)
                #expect(try await fixture.rows("SELECT 1 FROM warehouse_loaded").count == left.count)
            }
            #expect(try await fixture.rows("SELECT 1 FROM encounter_mapping").isEmpty)
        }
    }

    @Test func resourcesWithEqualInstanceNumbersAreKeptApart() async throws {
        var met: [Int: String] = [:]
        var pair: (String, String)?
        var next = 0
        while pair == nil {
            let id = "x\(next)"
            next += 1
            let number = FactInstance.base(ofResource: id)
            #expect(number > 0 && number < Int(Int32.max))
            if let other = met.updateValue(id, forKey: number) { pair = (other, id) }
        }
        let (one, other) = try #require(pair)
        try await WarehouseFixture.with { fixture in
            try await load(fixture, id: one, value: 1, at: "2026-03-01T08:00:00Z")
            try await load(fixture, id: other, value: 2, at: "2026-03-01T08:00:01Z")
            try await load(
                fixture, id: one, value: 3, at: "2026-03-01T08:00:02Z", submission: "s2",
                received: "2026-05-02T12:00:00Z")
            #expect(
                try await encounters(fixture) == ["APP/2026-03-01 2026-03-01 2", "APP/2026-03-01 2026-03-01 3"])
        }
    }

    /// Facts may have an encounter for each resource.
    @Test func factsWithAnEncounterOfTheirOwnStayAndAreReplacedAsAWhole() async throws {
        try await WarehouseFixture.with { fixture in
            try await load(fixture, id: "a", value: 1, at: "2026-03-01T08:00:00Z")
            try await load(fixture, id: "b", value: 2, at: "2026-03-02T08:00:00Z")
            try await fixture.database.write { transaction in
                for (name, day) in [("a", "01"), ("b", "02")] {
                    try transaction.execute(
                        "UPDATE encounter_mapping SET encounter_ide = ?, upload_id = 1 WHERE encounter_ide LIKE ?",
                        [SQLValue("Observation/\(name)"), SQLValue("%-\(day)")])
                }
                try transaction.execute("UPDATE observation_fact SET instance_num = 1")
                try transaction.execute(
                    "UPDATE warehouse_loaded SET instance_num = 1, instances = 0, start_seconds = 0")
            }
            try await load(
                fixture, id: "a", value: 3, at: "2026-03-02T08:00:00Z", submission: "s2",
                received: "2026-05-02T12:00:00Z")
            #expect(
                try await encounters(fixture) == ["APP/2026-03-02 2026-03-02 3", "Observation/b 2026-03-02 2"])
        }
    }
}
