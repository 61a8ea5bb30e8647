import Foundation
import Testing

@testable import FHIR

@Suite struct ResourceTests {
    @Test func aViewReadsAndWritesAndKeepsWhatItDoesNotName() throws {
        let text = #"{"resourceType":"Patient","x":{"y":1.50},"birthDate":"1990","_birthDate":{"id":"b"}}"#
        var patient = try #require(try Resource(Array(text.utf8)).as(Patient.self))
        #expect(patient.birthDate?.precision == .year)
        patient.gender = "female"
        patient.id = "p"
        #expect(
            patient.json.text()
                == #"{"resourceType":"Patient","id":"p","x":{"y":1.50},"birthDate":"1990","_birthDate":{"id":"b"},"gender":"female"}"#
        )
    }

    @Test(arguments: ["[]", "{}", #"{"resourceType":""}"#, #"{"resourceType":"../x"}"#, #"{"resourceType":7}"#])
    func whatIsNoResourceIsRefused(text: String) {
        #expect(throws: (any Error).self) { try Resource(Array(text.utf8)) }
    }

    @Test(arguments: [
        ("Patient/a", "Patient", "a"), ("http://x/fhir/Patient/a", "Patient", "a"),
        ("Patient/a/_history/2", "Patient", "a"),
    ])
    func literalReferencesNameTypeAndID(text: String, type: String, id: String) {
        #expect(Reference(text).literal?.type == type)
        #expect(Reference(text).literal?.id == id)
    }

    @Test(arguments: ["#a", "urn:uuid:1", "a", "Patient/", "patient/a", "Patient/a b", ""])
    func otherReferencesNameNone(text: String) { #expect(Reference(text).literal == nil) }

    @Test func choicesAreFoundByTheirType() throws {
        let observation = Observation(
            try #require(try JSON(parsing: #"{"valueSet":1,"valueQuantity":{"value":1.0}}"#).object))
        #expect(observation.value?.type == "Set" || observation.value?.type == "Quantity")
        let none = Observation(try #require(try JSON(parsing: #"{"valueset":1}"#).object))
        #expect(none.value == nil)
    }

    @Test func containedResourcesAreFoundWithAndWithoutTheirHash() throws {
        let json = try JSON(parsing: ##"{"resourceType":"Contract","contained":[{"resourceType":"Group","id":"g"}]}"##)
        let contract = Contract(try #require(json.object))
        #expect(contract.containedResource("#g")?.resourceType == "Group")
        #expect(contract.containedResource("#h") == nil)
        #expect(contract.containedResource("g") == nil)
    }
}
