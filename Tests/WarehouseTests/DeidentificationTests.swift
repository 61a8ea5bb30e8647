import Core
import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

@Suite struct DeidentificationTests {
    private func record(_ rules: Deidentification, in fixture: WarehouseFixture) async throws {
        try await fixture.database.write { try rules.record(secret: Array(repeating: 7, count: 32), in: $0) }
    }

    private func texts(_ sql: String, in fixture: WarehouseFixture) async throws -> [String] {
        try await fixture.rows("SELECT CAST(x AS text) AS x FROM (\(sql)) q").map { $0.textIfPresent("x") ?? "" }
    }

    @Test(arguments: [
        #"{"pseudonym":true,"dateShiftDays":30,"freeText":"out"}"#,
        #"{"pseudonym":false,"dateShiftDays":0,"freeText":"in"}"#,
        #"{"pseudonym":false,"dateShiftDays":0,"freeText":["note","why"]}"#,
    ])
    func rulesAreReadAndWritten(text: String) throws {
        let rules = try #require(Deidentification(try JSON(Data(text.utf8))))
        #expect(rules.json.text() == text)
        #expect(Deidentification(rules.json) == rules)
    }

    @Test(arguments: [
        "true", #"{"pseudonym":"yes"}"#, #"{"dateShiftDays":-1}"#, #"{"dateShiftDays":4000}"#,
        #"{"dateShiftDays":1.5}"#,
        #"{"freeText":"maybe"}"#, #"{"freeText":[1]}"#, #"{"other":1}"#,
    ])
    func otherRulesAreRefused(text: String) throws { #expect(Deidentification(try JSON(Data(text.utf8))) == nil) }

    @Test(arguments: [
        ("2026-03-01", -1, "2026-02-28"), ("2024-03-01T10:00:00.250+02:00", -1, "2024-02-29T10:00:00.250+02:00"),
        ("2026-01-01 00:00:00", -366, "2024-12-31 00:00:00"), ("2026-03", -1, nil), ("@", -1, nil), ("", -1, nil),
        ("2026-13-01", -1, nil), ("0001-01-01", -5, nil), ("2026-3-011", -1, nil),
    ])
    func aDateIsMovedByWholeDays(text: String, days: Int, moved: String?) {
        #expect(ShiftedDate.text(text, byDays: days) == moved)
    }

    @Test func aParticipantHasAPseudonymThatDependsOnTheSecret() async throws {
        try await WarehouseFixture.with { fixture in
            try await record(Deidentification(isPseudonymous: true), in: fixture)
            try await fixture.load(observation(#""valueInteger":1"#))
            let names = try await texts(
                "SELECT patient_ide AS x FROM patient_mapping WHERE patient_ide_source = 'TRIBUTARY' UNION ALL "
                    + "SELECT DISTINCT patient_ide AS x FROM encounter_mapping", in: fixture)
            #expect(Set(names).count == 1 && names.count == 2)
            #expect(names[0].count == 32 && names[0] != "p1")
            let number = try await fixture.database.read { try WarehouseLoader.number(of: "p1", in: $0) }
            #expect(number == 1)
        }
    }

    @Test(arguments: [
        ("{}x", String(repeating: "07", count: 32)), (#"{"pseudonym":"?"}"#, String(repeating: "07", count: 32)),
        ("{}", "07"),
    ])
    func unreadableRulesStopTheLoad(rules: String, secret: String) async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.database.write {
                _ = try $0.execute(
                    "INSERT INTO warehouse_rules (one, rules, secret) VALUES (1, ?, ?)",
                    [SQLValue(rules), SQLValue(secret)])
            }
            let error = await #expect(throws: StorageError.self) {
                try await fixture.load(observation(#""valueInteger":1"#))
            }
            #expect(error?.code == "storage-corrupt")
            #expect(try await fixture.rows("SELECT 1 FROM patient_mapping").isEmpty)
        }
    }

    @Test func allDatesOfAParticipantMoveByOneNumberOfDays() async throws {
        try await WarehouseFixture.with { fixture in
            let form = #"{"linkId":"since","answer":[{"valueDate":"2026-02-20"}]}"#
            try await fixture.load(response(form), subject: "p1", submission: "a")
            try await fixture.load(observation(#""valueInteger":1"#, id: "o2"), subject: "p2", submission: "b")
            try await fixture.load(observation(#""valueInteger":1"#, id: "o1"), subject: "p1", submission: "c")
            let dateColumns = [
                ("observation_fact", ["start_date", "end_date", "update_date", "import_date"]),
                ("visit_dimension", ["start_date", "download_date"]),
                ("patient_mapping", ["update_date", "upload_date"]),
                ("encounter_mapping", ["upload_date", "import_date"]), ("upload_status", ["load_date", "end_date"]),
                ("patient_dimension", ["import_date"]),
            ]
            let dates =
                dateColumns.flatMap { table, columns in columns.map { "SELECT CAST(\($0) AS text) AS x FROM \(table)" }
                }
                .joined(separator: " UNION ALL ")
                + " UNION ALL SELECT tval_char AS x FROM observation_fact WHERE tval_char LIKE '____-__-%'"
                + " UNION ALL SELECT substr(encounter_ide, length(encounter_ide) - 9) AS x FROM encounter_mapping "
                + "WHERE encounter_ide LIKE 'TRIBUTARY:%'"
            let before = try await texts(dates, in: fixture).filter { !$0.isEmpty }
            #expect(before.count > 30 && before.allSatisfy { $0.hasPrefix("2026-") })
            // The same with the rule.
            try await WarehouseFixture.with { shifted in
                try await record(Deidentification(dateShiftDays: 3650), in: shifted)
                try await shifted.load(response(form), subject: "p1", submission: "a")
                try await shifted.load(observation(#""valueInteger":1"#, id: "o2"), subject: "p2", submission: "b")
                try await shifted.load(observation(#""valueInteger":1"#, id: "o1"), subject: "p1", submission: "c")
                let (first, second) = try await shifted.database.read { transaction in
                    let rules = try AppliedDeidentification(in: transaction)
                    return (rules.shift(of: "p1"), rules.shift(of: "p2"))
                }
                #expect(first != second && (-3650...(-1)).contains(first) && (-3650...(-1)).contains(second))
                let after = Set(try await texts(dates, in: shifted).filter { !$0.isEmpty })
                let moved = Set(
                    before.flatMap { text in [first, second].compactMap { ShiftedDate.text(text, byDays: $0) } })
                #expect(after.isSubset(of: moved), "\(after.subtracting(moved).sorted().prefix(5))")
                #expect(after.isDisjoint(with: before))
            }
        }
    }

    @Test func textIsWithheldExceptForListedQuestions() async throws {
        let items = """
            {"linkId":"why","answer":[{"valueString":"noise at Elm Street"}]},
            {"linkId":"note","answer":[{"valueString":"mild"}]},
            {"linkId":"hours","answer":[{"valueDecimal":7}]},
            {"linkId":"drugs","answer":[{"valueCoding":{"display":"my own mixture"}}]}
            """
        for (rule, words) in [
            (Deidentification.FreeText.kept, ["mild", "my own mixture", "noise at Elm Street"]), (.withheld, []),
            (.keptOnly(["note"]), ["mild"]),
        ] {
            try await WarehouseFixture.with { fixture in
                try await record(Deidentification(freeText: rule), in: fixture)
                try await fixture.load(response(items))
                try await fixture.load(observation(#""valueString":"fell twice""#, id: "o9"), submission: "s2")
                let facts = try await texts(
                    "SELECT tval_char AS x FROM observation_fact WHERE modifier_cd = '@'", in: fixture)
                #expect(facts.count == 5, "that there is an answer is loaded")
                let found = facts.filter { !["@", "E", ""].contains($0) }.sorted()
                #expect(found == (rule == .kept ? ["fell twice"] + words : words).sorted())
            }
        }
    }
}
