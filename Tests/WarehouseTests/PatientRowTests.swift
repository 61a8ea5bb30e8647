import FHIR
import Foundation
import Testing

@testable import Warehouse

@Suite struct PatientRowTests {
    private func row(_ members: String, at: String = "2026-05-01T12:00:00Z") throws -> PatientRow {
        let json = #"{"resourceType":"Patient","id":"p1"\#(members.isEmpty ? "" : ",")\#(members)}"#
        return PatientRow(Patient(try Resource(Data(json.utf8)).object), at: instant(at))
    }

    @Test func theBirthYearIsTheFirstOfJanuaryAndTheAgeIsCountedAtLoading() throws {
        let patient = try row(#""birthDate":"1990""#)
        #expect(patient.birthDate == instant("1990-01-01"))
        #expect(patient.age == 36)
        #expect(patient.vitalStatus == "UF")
        #expect(try row(#""birthDate":"1990-07-09""#).birthDate == instant("1990-01-01"), "never finer than the year")
        #expect(try row(#""birthDate":"1990""#, at: "2030-01-01T00:00:00Z").age == 40)
    }

    @Test(arguments: [("1937", 89, true), ("1936", 90, false), ("1900", 90, false)])
    func agesOver89AreOneAge(year: String, age: Int, hasBirthYear: Bool) throws {
        let patient = try row(#""birthDate":"\#(year)""#)
        #expect(patient.age == age)
        #expect((patient.birthDate != nil) == hasBirthYear)
        #expect(patient.vitalStatus == (hasBirthYear ? "UF" : "UL"))
    }

    @Test func patientMarkedAs90OrOlderIs90() throws {
        let patient = try row(#""extension":[{"url":"urn:tributary:age-90-or-older","valueBoolean":true}]"#)
        #expect(patient.age == 90)
        #expect(patient.birthDate == nil)
        let not = try row(#""extension":[{"url":"urn:tributary:age-90-or-older","valueBoolean":false}]"#)
        #expect(not.age == nil)
    }

    @Test(arguments: [("male", "M"), ("female", "F"), ("other", "O"), ("unknown", "U")])
    func sexIsALetter(gender: String, letter: String) throws {
        #expect(try row(#""gender":"\#(gender)""#).sex == letter)
        #expect(try row("").sex == "U")
    }

    @Test(arguments: [
        (#"{"state":"MA","postalCode":"021","country":"US"}"#, "Zip codes\\Massachusetts\\021\\"),
        (#"{"state":"PR"}"#, "Zip codes\\Puerto Rico\\"), (#"{"state":"dc"}"#, "Zip codes\\District of Columbia\\"),
        (#"{"state":"VI"}"#, "Zip codes\\Virgin Islands\\"), (#"{"state":"BE","country":"DE"}"#, "Zip codes\\BE\\"),
        (#"{"state":"DE","country":"DE"}"#, "Zip codes\\DE\\"), (#"{"state":"DE"}"#, "Zip codes\\Delaware\\"),
    ])
    func stateIsAPathOfNames(address: String, path: String) throws {
        #expect(try row(#""address":[\#(address)]"#).statePath == path)
    }

    @Test(arguments: [
        ("02139-1234", "US", "021"), ("03601", "US", "000"), ("036", "US", "000"), ("021", "US", "021"),
        ("8001", "CH", nil),
    ])
    func areaIsThePostalPrefix(code: String, country: String, area: String?) throws {
        #expect(try row(#""address":[{"postalCode":"\#(code)","country":"\#(country)"}]"#).zip == area)
    }

    @Test func patientsOlderThan89AreAggregatedLater() async throws {
        try await WarehouseFixture.with { fixture in
            for (person, year) in [("p1", "1937"), ("p2", "1938")] {
                try await fixture.load(
                    #"{"resourceType":"Patient","id":"\#(person)","birthDate":"\#(year)"}"#, subject: person,
                    submission: person)
            }
            func rows(at: String) async throws -> [String] {
                let date = instant(at)
                try await fixture.database.write { try WarehouseLoader().aggregateAges(at: date, in: $0) }
                let rows = try await fixture.rows("SELECT * FROM patient_dimension ORDER BY patient_num")
                return try rows.map {
                    "\($0.textIfPresent("birth_date")?.prefix(4) ?? "-") \(try $0.integer("age_in_years_num")) "
                        + (try $0.text("vital_status_cd"))
                }
            }
            #expect(try await rows(at: "2026-12-31T23:00:00Z") == ["1937 89 UF", "1938 88 UF"])
            #expect(try await rows(at: "2027-01-01T00:00:00Z") == ["- 90 UL", "1938 88 UF"])
        }
    }

    @Test func currentPatientReplacesTheRowAndAFormerOneDoesNot() async throws {
        try await WarehouseFixture.with { fixture in
            let patient = #"{"resourceType":"Patient","id":"p1","gender":"GENDER"}"#
            func load(_ gender: String, _ received: String, isCurrent: Bool = true) async throws {
                try await fixture.load(
                    patient.replacingOccurrences(of: "GENDER", with: gender), submission: gender, received: received,
                    isCurrent: isCurrent)
            }
            try await fixture.load(observation(#""valueInteger":1"#), received: "2026-06-01T00:00:00Z")
            let stub = try await fixture.rows("SELECT * FROM patient_dimension")
            #expect(stub.count == 1)
            #expect(stub[0].textIfPresent("update_date") == "1900-01-01 00:00:00", "it never is empty")
            try await load("male", "2026-05-02T00:00:00Z")
            try await load("female", "2026-05-03T00:00:00Z")
            try await load("other", "2026-05-01T00:00:00Z", isCurrent: false)
            let rows = try await fixture.rows("SELECT sex_cd, update_date FROM patient_dimension")
            #expect(rows.count == 1)
            #expect(try rows[0].text("sex_cd") == "F")
        }
    }
}

@Suite struct ConsentRowsTests {
    private let contract = """
        {"resourceType":"Contract","id":"c1","status":"executed","instantiatesUri":"http://example.org/consent|2",
         "signer":[{"extension":[{"url":"http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing",
          "valueBoolean":true}],"party":{"reference":"Patient/p1"},"signature":[{"when":"2026-01-02T03:04:05Z"}]}]}
        """
    private let withdrawal = """
        {"resourceType":"Consent","id":"w1","status":"inactive","dateTime":"2026-04-01T10:00:00Z",
         "patient":{"reference":"Patient/p1"},"sourceReference":{"reference":"Contract/c1"}}
        """

    @Test func aContractIsARowOfItsOwnSchema() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(contract)
            let row = try #require(try await fixture.rows("SELECT * FROM consent_contract").first)
            #expect(try row.text("template_url") == "http://example.org/consent")
            #expect(try row.text("template_version") == "2")
            #expect(try row.text("signed_at") == "2026-01-02 03:04:05")
            #expect(try row.integer("shares_widely") == 1)
            #expect(try row.text("status_cd") == "A")
            #expect(row.textIfPresent("withdrawn_at") == nil)
        }
    }

    @Test func timeOfConsentIsThatOfTheConsentersSignature() async throws {
        let party = #""party":{"reference":"Patient/p1"}"#
        let signed = """
            {"resourceType":"Contract","id":"c1","status":"executed","instantiatesUri":"http://example.org/consent|2",
             "signer":[{"type":{"code":"WIT"},\(party),"signature":[{"when":"2026-01-01T00:00:00Z"}]},
              {"type":{"code":"CONSENTER"},\(party),"signature":[{"when":"TIME"}]}]}
            """
        for (time, expected) in [
            ("2026-01-02T03:04:05Z", "2026-01-02 03:04:05"),
            // The time of a signature is not after the time of receipt.
            ("2027-01-01T00:00:00Z", "2026-05-01 12:00:00"),
        ] {
            try await WarehouseFixture.with { fixture in
                try await fixture.load(signed.replacingOccurrences(of: "TIME", with: time))
                let row = try #require(try await fixture.rows("SELECT * FROM consent_contract").first)
                #expect(try row.text("signed_at") == expected)
            }
        }
    }

    @Test func contractNotInForceHasNoSignature() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(contract.replacingOccurrences(of: "executed", with: "offered"))
            let row = try #require(try await fixture.rows("SELECT * FROM consent_contract").first)
            #expect(row.textIfPresent("signed_at") == nil)
            #expect(row.textIfPresent("shares_widely") == nil)
        }
    }

    @Test(arguments: [false, true])
    func withdrawalStaysInEitherOrderOfArrival(withdrawalFirst: Bool) async throws {
        try await WarehouseFixture.with { fixture in
            for json in withdrawalFirst ? [withdrawal, contract] : [contract, withdrawal, contract] {
                try await fixture.load(json)
            }
            let row = try #require(try await fixture.rows("SELECT * FROM consent_contract").first)
            #expect(try row.text("status_cd") == "I")
            #expect(try row.text("withdrawn_at") == "2026-04-01 10:00:00")
            #expect(try row.text("template_url") == "http://example.org/consent")
        }
    }

    @Test func withdrawalDoesNotAffectAnothersContract() async throws {
        try await WarehouseFixture.with { fixture in
            try await fixture.load(contract)
            try await fixture.load(withdrawal, subject: "p2", submission: "s2")
            try await fixture.load(contract.replacingOccurrences(of: "|2", with: "|3"), subject: "p2", submission: "s2")
            let rows = try await fixture.rows("SELECT * FROM consent_contract")
            #expect(rows.count == 1)
            #expect(try rows[0].text("status_cd") == "A")
            #expect(try rows[0].text("template_version") == "2")
        }
    }
}
