import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct PseudonymizationTests {
    let rules = Pseudonymization()

    func patient(_ facts: PersonFacts, on day: String = "2026-03-01") throws -> Patient {
        rules.patient(id: "p", facts: facts, today: try #require(DateTime(day)))
    }

    @Test func patientKeepsOnlyTheYearOfBirth() throws {
        let patient = try patient(PersonFacts(birthDate: DateTime("1990-02-02"), gender: "female"))
        #expect(patient.object["birthDate"]?.string == "1990")
        #expect(patient.gender == .female)
        #expect(!patient.json.text().contains("1990-"))
    }

    @Test(arguments: [("1937-12-31", true), ("1936-12-31", false), ("1936", false), ("1901-05", false)])
    func birthYearOfPeopleOver89IsRemoved(birth: String, isYearKept: Bool) throws {
        let patient = try patient(PersonFacts(birthDate: DateTime(birth)))
        #expect((patient.object["birthDate"]?.string == String(birth.prefix(4))) == isYearKept)
        #expect(Pseudonymization.isNinetyOrOlder(patient) != isYearKept)
        #expect(patient.json.text().contains(birth.prefix(4)) == isYearKept)
    }

    @Test func ageIsCountedAgainWhenAPatientIsLoaded() throws {
        let young = try patient(PersonFacts(birthDate: DateTime("1937")))
        let nextYear = try #require(DateTime.init("2027-01-01"))
        let old = rules.aggregatingAge(of: young, today: nextYear)
        #expect(Pseudonymization.isNinetyOrOlder(old))
        #expect(old.object["birthDate"] == nil)
        #expect(rules.aggregatingAge(of: old, today: nextYear) == old)
        #expect(rules.aggregatingAge(of: young, today: try #require(DateTime.init("2026-12-31"))) == young)
    }

    @Test(arguments: [
        ("02139", "021"), ("02139-4307", "021"), ("03601", "000"), ("89301", "000"), ("021", "021"), ("02", nil),
        ("", nil), ("AB123", nil), (" 94110", "941"),
    ])
    func aPostalCodeIsCutToItsArea(code: String, area: String?) throws {
        #expect(rules.area(ofPostalCode: code) == area)
    }

    @Test func studySetsTheRestrictedAreas() {
        #expect(Pseudonymization.restrictedPrefixes.count == 17)
        #expect(Pseudonymization(restrictedPrefixes: ["021"]).area(ofPostalCode: "02139") == "000")
        #expect(Pseudonymization(restrictedPrefixes: []).area(ofPostalCode: "03601") == "036")
    }

    @Test(arguments: ["US", "us", "USA", "U.S.A.", "United States", "the united states of America", " Us "])
    func allNamesOfTheUnitedStatesAreRecognised(country: String) throws {
        let address = try #require(
            try patient(PersonFacts(postalCode: "02139", state: "MA", country: country)).address.first)
        #expect(address.postalCode == "021")
        #expect(address.country == "US")
        #expect(address.state == "MA")
    }

    @Test(arguments: ["DE", "Uzbekistan", "Russia", "Austria", "USSR", "United Kingdom"])
    func onlyStateAndCountryAreSentOutsideTheUnitedStates(country: String) throws {
        let address = try #require(
            try patient(PersonFacts(postalCode: "10115", state: "Berlin", country: country)).address.first)
        #expect(address.object.keys.sorted() == ["country", "state"])
    }

    @Test func aPostalCodeWithoutACountryStays() throws {
        let patient = try patient(PersonFacts(postalCode: "02139"))
        #expect(patient.address == [])
        #expect(!patient.json.text().contains("021"))
    }

    @Test func thePatientIsMarkedAsPseudonymous() throws {
        #expect(try patient(PersonFacts()).object["meta"]?["security"]?[0]?["code"]?.string == "PSEUDED")
    }
}
