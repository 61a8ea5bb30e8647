import FHIR
import Foundation
import Storage
import StorageTestSupport
import Testing

@testable import Warehouse

/// The concepts that i2b2 queries in the dimensions of patients and visits: demographics, consent and source.
@Suite struct DimensionConceptTests {
    private static let root = "\\Tributary\\"

    private func person(_ id: String, rest: String, in fixture: WarehouseFixture) async throws {
        try await fixture.load(
            #"{"resourceType":"Patient","id":"\#(id)",\#(rest)}"#, subject: id, submission: "patient-\(id)")
        try await fixture.load(
            observation(#""valueInteger":1"#, id: "o-\(id)"), subject: id, submission: "observation-\(id)")
    }

    @Test(arguments: [
        ("Demographics\\", 4), ("Demographics\\Birth year\\", 3), ("Demographics\\Birth year\\1980s\\", 2),
        ("Demographics\\Birth year\\1980s\\1984\\", 1), ("Demographics\\Birth year\\90 and older\\", 1),
        ("Demographics\\Sex\\", 4), ("Demographics\\Sex\\Female\\", 2), ("Demographics\\Sex\\Not known\\", 1),
        ("Demographics\\State\\", 3), ("Demographics\\State\\Massachusetts\\", 1),
        ("Demographics\\ZIP code area\\", 2), ("Demographics\\ZIP code area\\021\\", 1),
        ("Demographics\\ZIP code area\\941\\", 1),
    ])
    func demographicsAreCounted(path: String, patients: Int) async throws {
        try await WarehouseFixture.with { fixture in
            try await person(
                "p1",
                rest:
                    #""gender":"female","birthDate":"1984","address":[{"country":"US","state":"MA","postalCode":"02140"}]"#,
                in: fixture)
            try await person(
                "p2",
                rest:
                    #""gender":"male","birthDate":"1989","address":[{"country":"US","state":"California","postalCode":"941"}]"#,
                in: fixture)
            try await person(
                "p3", rest: #""gender":"female","birthDate":"1930","address":[{"country":"CH","state":"Anns Tal"}]"#,
                in: fixture)
            try await person("p4", rest: #""birthDate":"2001""#, in: fixture)
            #expect(try await fixture.count(Self.root + path) == patients)
            try await OntologyTests.check(fixture)
            for path in try await fixture.paths() { #expect(!path.contains("Anns")) }
        }
    }

    @Test func consentIsCountedByItsCurrentStatus() async throws {
        try await WarehouseFixture.with { fixture in
            let loader = fixture.loader
            let states = [
                PatientConsent(status: .consented, version: "1.0", sharing: true),
                PatientConsent(status: .consented, version: "2.0", sharing: false),
                PatientConsent(status: .withdrawn, version: "1.0", sharing: nil),
                PatientConsent(status: .consented, version: nil, sharing: nil),
                PatientConsent(status: nil, version: nil, sharing: nil),
            ]
            for (number, consent) in states.enumerated() {
                try await fixture.load(
                    observation(#""valueInteger":1"#, id: "o\(number)"), subject: "p\(number)", submission: "s\(number)"
                )
                try await fixture.database.write { transaction in
                    try loader.write(
                        PatientConsent(status: .consented, version: "0", sharing: true), of: "p\(number)",
                        at: instant("2026-01-01"), in: transaction)
                    try loader.write(consent, of: "p\(number)", at: instant("2026-01-02"), in: transaction)
                }
            }
            try await fixture.database.write { transaction in
                try loader.ensureConsentOntology(
                    versions: ["1.0", "2.0"], at: instant("2026-01-01"), in: transaction)
            }
            let consent = Self.root + "Consent\\"
            #expect(try await fixture.count(consent) == 5)
            #expect(try await fixture.count(consent + "In force\\") == 4, "the last says nothing new")
            #expect(try await fixture.count(consent + "Withdrawn\\") == 1)
            #expect(try await fixture.count(consent + "Version\\1.0\\") == 2)
            #expect(try await fixture.count(consent + "Sharing\\Permitted\\") == 2)
            #expect(try await fixture.count(consent + "Sharing\\Not permitted\\") == 1)
            try await OntologyTests.check(fixture)
        }
    }

    @Test func theSourceIsThatOfTheResource() async throws {
        let entered = """
            "method":{"coding":[{"system":"http://developer.apple.com/documentation/healthkit","code":"HKWasUserEntered"}]}
            """
        let sources: [(String, FactSource)] = [
            (#""device":{"display":"Apple Watch"}"#, .watch), (#""device":{"display":"iPhone"}"#, .phone),
            (#""device":{"display":"app"}"#, .app), (#""device":{"display":"iPhone"},\#(entered)"#, .typed),
            (#""performer":[{"reference":"Practitioner/1"}]"#, .clinic), (#""note":[]"#, .app),
            (#""identifier":[{"system":"urn:tributary:clinical-record-id","value":"1"}]"#, .clinic),
        ]
        try await WarehouseFixture.with { fixture in
            for (number, (json, source)) in sources.enumerated() {
                let resource = observation(#""valueInteger":1,\#(json)"#, id: "o\(number)")
                #expect(try mapped(resource).source == source, "\(json)")
                try await fixture.load(resource, subject: "p\(number)", submission: "s\(number)")
            }
            try await fixture.load(
                response(#"{"linkId":"why","answer":[{"valueString":"x"}]}"#), subject: "p9", submission: "s9")
            let folder = Self.root + "Source\\"
            #expect(try await fixture.count(folder) == 8)
            #expect(try await fixture.count(folder + "App\\") == 3)
            #expect(try await fixture.count(folder + "Clinic\\") == 2)
            #expect(try await fixture.count(folder + "Typed in by hand\\") == 1)
        }
    }

    @Test func ontologyRowWithUnknownNamesFindsNothing() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(observation(#""valueInteger":1"#))
            let path = Self.root + "Demographics\\Sex\\Not known\\"
            #expect(try await fixture.count(path) == 1)
            for (column, text) in [
                ("c_tablename", "staff_token"), ("c_columnname", "1=1 OR sex_cd"), ("c_operator", "= 1 OR 1="),
            ] {
                try await fixture.database.write { transaction in
                    _ = try transaction.execute(
                        "UPDATE custom_meta SET \(column) = ? WHERE c_fullname = ?",
                        [SQLValue(text), SQLValue(path)])
                }
                #expect(try await fixture.count(path) == 0)
            }
        }
    }

    @Test(arguments: ["Source\\Watch\\", "Demographics\\Sex\\Male\\", "Demographics\\State\\", "Consent\\Withdrawn\\"])
    func queryOfADimensionUsesIndexes(path: String) async throws {
        try await WarehouseFixture.with { fixture in
            let loader = fixture.loader
            let plan = try await fixture.database.write { transaction in
                try loader.ensureConsentOntology(versions: [], at: instant("2026-01-01"), in: transaction)
                let statement = WarehouseQuery.statement(
                    try PathSelection(path: Self.root + path, in: transaction), value: nil, from: nil, to: nil,
                    dialect: transaction.dialect)
                return try QueryPlan(statement.sql, statement.parameters, in: transaction)
            }
            #expect(!plan.readsAll, "\(plan)")
        }
    }
}
