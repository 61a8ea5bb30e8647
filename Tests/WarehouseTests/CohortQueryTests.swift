import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

@Suite struct CountTermTextTests {
    @Test func termHasAPathAValueAndDates() throws {
        let term = try CountTermText(parsing: #" \A\B (c=d)\ ; value=GE 100;from=2026-01-01; to = 2026-02-01"#)
        #expect(term.path == #"\A\B (c=d)\"# && term.value == "GE 100")
        #expect(term.from == "2026-01-01" && term.to == "2026-02-01")
        #expect(try CountTermText(parsing: #"\A\"#).value == nil)
        #expect(try CountTermText(parsing: #"\A\; value=LIKE a;b; from=2026"#).value == "LIKE a;b")
    }

    @Test(arguments: [
        "", " ; value=GE 1", #"\A\; GE 100"#, #"\A\; until=2026"#, #"\A\; from=1;from=2"#, #"\A\; value="#, #"\A\;"#,
    ])
    func otherTextIsRefused(text: String) {
        #expect(throws: CountTermText.ParseError.self) { try CountTermText(parsing: text) }
    }
}

@Suite struct CohortQueryTests {
    private static let health = #"\Tributary\Health\"#
    private static let rate =
        health + "Other\\LOINC-8867-4-" + ConceptCode.hash("LOINC:8867-4", 6) + "\\"
    private static let steps =
        health + "Other\\LOINC-99999-9-" + ConceptCode.hash("LOINC:99999-9", 6) + "\\"

    /// p1: both codes on one day; p2: both, on two days; p3: one of them; p4: the other one.
    private func withFacts(_ body: (WarehouseFixture) async throws -> Void) async throws {
        try await WarehouseFixture.with { fixture in
            let facts: [(String, code: String, day: String, value: Int)] = [
                ("p1", "8867-4", "2026-03-01", 80), ("p1", "99999-9", "2026-03-01", 10),
                ("p2", "8867-4", "2026-03-02", 120), ("p2", "99999-9", "2026-04-03", 20),
                ("p3", "8867-4", "2026-04-04", 90), ("p4", "99999-9", "2026-05-05", 30),
            ]
            for (number, fact) in facts.enumerated() {
                try await fixture.load(
                    observation(
                        #""valueInteger":\#(fact.value)"#, id: "o\(number)", code: fact.code,
                        time: #""effectiveDateTime":"\#(fact.day)T10:00:00Z""#), subject: fact.0,
                    submission: "s\(number)")
            }
            for (id, person) in [
                ("p1", #""gender":"female","birthDate":"1990""#), ("p2", #""gender":"male","birthDate":"1930""#),
                ("p3", #""gender":"female","birthDate":"2001""#),
            ] {
                try await fixture.load(
                    #"{"resourceType":"Patient","id":"\#(id)",\#(person)}"#, subject: id, submission: "of-\(id)")
            }
            try await body(fixture)
        }
    }

    private func people(_ query: CohortQuery, _ fixture: WarehouseFixture) async throws -> [String] {
        try await fixture.database.read { transaction in
            var ids: [String] = []
            try query.eachParticipant(in: transaction) { ids.append($0) }
            #expect(try query.count(in: transaction).patients == ids.count)
            return ids
        }
    }

    @Test func eachConditionSelectsPatientsOrEncounters() async throws {
        try await withFacts { fixture in
            let (rate, steps) = (CountTerm(path: Self.rate), CountTerm(path: Self.steps))
            let both = CohortQuery([rate, steps])
            #expect(try await people(both, fixture) == ["p1", "p2"])
            #expect(try await people(CohortQuery([rate, steps], isSameEncounter: true), fixture) == ["p1"])
            let high = CountTerm(path: Self.rate, value: .compare(.ge, 100))
            #expect(try await people(CohortQuery([steps, high]), fixture) == ["p2"])
            let late = CountTerm(path: Self.steps, from: instant("2026-04-01"), to: instant("2026-05-01"))
            #expect(try await people(CohortQuery([rate, late]), fixture) == ["p2"])
            let facts = try await fixture.database.read { try both.count(in: $0).facts }
            #expect(facts == 2, "the facts of the first condition")
            await #expect(throws: UnknownPath.self) {
                try await people(CohortQuery([rate, CountTerm(path: "\\None\\")]), fixture)
            }
        }
    }

    @Test func propertiesOfPatientsHoldInEachEncounter() async throws {
        try await withFacts { fixture in
            let female = CountTerm(path: #"\Tributary\Demographics\Sex\Female\"#)
            let rate = CountTerm(path: Self.rate)
            for isSame in [false, true] {
                let found = try await people(CohortQuery([rate, female], isSameEncounter: isSame), fixture)
                #expect(found == ["p1", "p3"])
            }
            let reversed = try await people(CohortQuery([female, rate]), fixture)
            #expect(reversed == ["p1", "p3"])
            let app = CountTerm(path: #"\Tributary\Source\"#)
            let measured = try await people(CohortQuery([rate, app]), fixture)
            #expect(measured == ["p1", "p2", "p3"])
        }
    }

    @Test func groupsDivideThePatients() async throws {
        try await withFacts { fixture in
            let query = CohortQuery([CountTerm(path: Self.health)])
            func lines(_ groupings: [CountGrouping]) async throws -> [String] {
                try await fixture.database.read { transaction in
                    try query.groups(by: groupings, in: transaction).map {
                        ($0.values + ["\($0.count.patients)", "\($0.count.facts)"]).joined(separator: " ")
                    }
                }
            }
            let (sexes, ages) = (try await lines([.sex]), try await lines([.age]))
            #expect(sexes == ["F 2 3", "M 1 2", "U 1 1"])
            #expect(ages == ["20-29 1 1", "30-39 1 2", "90+ 1 2", "unknown 1 1"])
            let months = try await lines([.month])
            #expect(months == ["2026-03 2 3", "2026-04 2 2", "2026-05 1 1"])
            let both = try await lines([.month, .sex])
            #expect(
                both == [
                    "2026-03 F 1 2", "2026-03 M 1 1", "2026-04 F 1 1", "2026-04 M 1 1", "2026-05 U 1 1",
                ])
        }
    }

    @Test func onlyListedParticipantsCount() async throws {
        try await withFacts { fixture in
            func found(_ ids: [String]) async throws -> [String] {
                try await people(CohortQuery([CountTerm(path: Self.health)], listed: ids), fixture)
            }
            #expect(try await found(["p3", "p1", "unknown", "'; DROP TABLE record; --"]) == ["p1", "p3"])
            #expect(try await found([]) == [])
            let shared = try await fixture.database.read {
                try WarehouseQuery().participants(among: .all, in: $0)
            }
            #expect(shared == ["p1", "p2", "p3", "p4"])
        }
    }

    @Test(arguments: [false, true])
    func severalConditionsUseIndexes(isSameEncounter: Bool) async throws {
        try await WarehouseFixture.with { fixture in
            let period = (instant("2026-01-01"), instant("2027-01-01"))
            let terms = [
                CountTerm(path: "", value: .compare(.ge, 100), from: period.0, to: period.1),
                CountTerm(path: "", value: .like("%x%"), from: period.0, to: period.1), CountTerm(path: ""),
            ]
            let query = CohortQuery(terms, isSameEncounter: isSameEncounter, listed: ["p1", "p2"])
            let selections: [PathSelection] = [
                .concepts("\\Tributary\\Health\\"), .concepts("\\Tributary\\Surveys\\"),
                .dimension(.text(.patients, column: "sex_cd", equals: "F")),
            ]
            let plans = try await fixture.database.read { transaction in
                let dialect = transaction.dialect
                return try [
                    query.statement(selections, dialect: dialect),
                    query.statement(selections, by: [.sex, .age, .month], dialect: dialect),
                    query.participantsStatement(selections, dialect: dialect),
                ].map { try QueryPlan($0.sql, $0.parameters, in: transaction) }
            }
            for plan in plans {
                // The listed ids are a table of their own.
                let reads = plan.lines.filter {
                    $0.contains("SCAN") && !$0.contains("json_each") && !$0.contains("VIRTUAL")
                }
                if TestEngine.chosen == .sqlite {
                    #expect(reads.isEmpty, "\(plan)")
                    #expect(plan.uses(index: "of_idx_concept"), "\(plan)")
                } else {
                    #expect(!plan.readsAll, "\(plan)")
                }
            }
        }
    }
}
