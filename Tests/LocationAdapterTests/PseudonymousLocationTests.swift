import FHIR
import InformedConsent
import LocationAdapter
import Testing

/// The parts of an address that may leave the phone.
@Suite struct PseudonymousLocationTests {
    @Test(arguments: [
        ("02139", "US", "021"), ("02139-4307", "United States", "021"), ("03601", "US", "000"), ("89301", "usa", "000"),
    ])
    func unitedStatesHaveStateAndAreaWithSmallAreasHidden(code: String, country: String, area: String) throws {
        let location = try #require(
            PseudonymousLocation(PersonFacts(postalCode: code, state: "MA", country: country)))
        #expect(location.country == "US" && location.state == "MA" && location.area == area)
    }

    @Test func everyRestrictedAreaIsHidden() {
        for prefix in Pseudonymization.restrictedPrefixes {
            let facts = PersonFacts(postalCode: prefix + "12", state: "MA", country: "US")
            #expect(PseudonymousLocation(facts)?.area == "000")
        }
        let facts = PersonFacts(postalCode: "02139", country: "US")
        #expect(PseudonymousLocation(facts, by: Pseudonymization(restrictedPrefixes: ["021"]))?.area == "000")
    }

    @Test(arguments: ["DE", "CH", nil])
    func elsewhereAndWithoutACountryThereIsNoArea(country: String?) throws {
        let facts = PersonFacts(postalCode: "8001", state: "ZH", country: country)
        let location = try #require(PseudonymousLocation(facts))
        #expect(location.area == nil && location.state == "ZH" && location.country == country)
    }

    @Test func nothingIsNoLocation() {
        #expect(PseudonymousLocation(PersonFacts(birthDate: DateTime.init("1990"), gender: "female")) == nil)
        #expect(PseudonymousLocation(PersonFacts(postalCode: "02139")) == nil)
        #expect(PseudonymousLocation(PersonFacts(state: "  ")) == nil)
    }

    /// The Patient of the consent has the same location: the rules applied twice change nothing.
    @Test func patientOfTheConsentHasTheSameLocation() throws {
        for code in ["02139", "03601"] {
            let typed = PersonFacts(gender: "female", postalCode: code, state: "MA", country: "US")
            let location = try #require(PseudonymousLocation(typed))
            let facts = location.replacing(in: PersonFacts(gender: "female", postalCode: "99999", state: "XX"))
            #expect(facts.gender == "female" && facts.postalCode == location.area)
            let today = DateTime.now()
            let rules = Pseudonymization()
            #expect(
                rules.patient(id: "p", facts: facts, today: today) == rules.patient(id: "p", facts: typed, today: today)
            )
            #expect(PseudonymousLocation(facts) == location)
        }
    }
}
