import FHIR
import Foundation
import Testing

/// Views of resources: the elements that they read, write and leave unchanged.
@Suite struct ResourceTests {
    func resource(_ text: String) throws -> Resource { try Resource(Array(text.utf8)) }

    @Test func viewReadsAndWritesAndKeepsUnknownElements() throws {
        let text = #"{"resourceType":"Patient","x":{"y":1.50},"birthDate":"1990","_birthDate":{"id":"b"}}"#
        var patient = try #require(try resource(text).as(Patient.self))
        #expect(patient.birthDate?.precision == .year)
        patient.gender = .female
        patient.id = "p"
        patient.birthDate = DateTime("1990-02")
        #expect(
            patient.json.text() == #"{"resourceType":"Patient","id":"p","x":{"y":1.50},"birthDate":"1990-02","#
                + #""_birthDate":{"id":"b"},"gender":"female"}"#)
        patient.id = nil
        patient.gender = nil
        #expect(
            patient.json.text()
                == #"{"resourceType":"Patient","x":{"y":1.50},"birthDate":"1990-02","_birthDate":{"id":"b"}}"#)
    }

    @Test func settingAMemberKeepsItsIndex() throws {
        var value = try JSON(parsing: #"{"a":1,"b":2,"c":3}"#)
        value["b"] = "x"
        value["d"] = true
        value["a"] = nil
        #expect(value.text() == #"{"b":"x","c":3,"d":true}"#)
        var object = try #require(value.object)
        object.set("e", 1, at: 0)
        object.set("c", 4, at: 0)
        object.set("f", 5, at: 99)
        #expect(JSON.object(object).text() == #"{"e":1,"b":"x","c":4,"d":true,"f":5}"#)
    }

    @Test func aChangeDeepInsideLeavesItsSurroundings() throws {
        let text =
            #"{"resourceType":"Questionnaire","a":1.0,"item":[{"x":1,"linkId":"1","item":[{"linkId":"1.1"}]},{"y":2}],"z":0}"#
        var form = try #require(try resource(text).as(Questionnaire.self))
        form.item[0].item[0].text = "New"
        #expect(form.json.text() == text.replacingOccurrences(of: #""1.1""#, with: #""1.1","text":"New""#))
    }

    @Test func elementsThatAreNotObjectsAreOmitted() throws {
        let form = try #require(
            try resource(#"{"resourceType":"Questionnaire","item":[1,null,{"linkId":"a"},"x"],"title":7}"#)
                .as(Questionnaire.self))
        #expect(form.item.map(\.linkId) == ["a"])
        #expect(form.title == nil)
        let other = try #require(
            try resource(#"{"resourceType":"Questionnaire","item":{"linkId":"a"}}"#).as(Questionnaire.self))
        #expect(other.item.isEmpty)
    }

    @Test func anEmptyListLeavesNoMember() throws {
        var patient = Patient()
        patient.maritalStatus = CodeableConcept(coding: [], text: "c")
        patient.name = [HumanName()]
        #expect(patient.json.text() == #"{"resourceType":"Patient","maritalStatus":{"text":"c"},"name":[{}]}"#)
        patient.name = []
        #expect(patient.json.text() == #"{"resourceType":"Patient","maritalStatus":{"text":"c"}}"#)
    }

    @Test(arguments: [
        "[]", "{}", #"{"resourceType":""}"#, #"{"resourceType":"../x"}"#, #"{"resourceType":7}"#, "1", "null",
        #"{"resourceType":"patient"}"#, #"{"resourceType":"Patient "}"#, #"{"resourcetype":"Patient"}"#,
    ])
    func invalidResourceIsRefused(text: String) {
        let error = #expect(throws: ResourceError.self) { try resource(text) }
        #expect(error?.code == "resource-type-missing")
    }

    @Test(arguments: ["", "{", #"{"a":1,"a":2}"#, "{}}", #"{"a":1,}"#])
    func invalidJSONIsRefusedWithTheReadersError(text: String) throws {
        let cause = try #require(#expect(throws: JSONError.self) { try JSON(parsing: text) })
        let error = try #require(#expect(throws: ResourceError.self) { try resource(text) })
        #expect(error == .notJSON(cause))
        #expect(error.code == cause.code && error.message == cause.message)
    }

    @Test func viewOfAnotherTypeIsNil() throws {
        let patient = try resource(#"{"resourceType":"Patient"}"#)
        #expect(patient.as(Observation.self) == nil)
        #expect(patient.as(Resource.self)?.resourceType == "Patient")
    }

    @Test(arguments: [
        ("Patient/a", "Patient", "a"), ("http://x/fhir/Patient/a", "Patient", "a"),
        ("Patient/a/_history/2", "Patient", "a"), ("https://x/y/Group/A-1.2", "Group", "A-1.2"),
    ])
    func literalReferencesNameTypeAndID(text: String, type: String, id: String) {
        #expect(Reference(text).literal?.type == type)
        #expect(Reference(text).literal?.id == id)
    }

    @Test(arguments: [
        "#a", "urn:uuid:1", "a", "Patient/", "patient/a", "Patient/a b", "", "/a", "Patient/_history/2", "Patient/a/",
        "Patient/a?b=c", "http://X/a", "Patient123/a", "Pa/../a", "Patient/" + String(repeating: "a", count: 65),
    ])
    func otherReferencesNameNone(text: String) {
        #expect(Reference(text).literal == nil)
    }

    @Test func aChoiceIsFoundByItsType() throws {
        func value(_ text: String) throws -> Observation.Value? {
            Observation(try #require(try JSON(parsing: text).object)).value
        }
        #expect(try value(#"{"valueQuantity":{"value":1.0}}"#)?.type == "Quantity")
        #expect(try value(#"{"valueString":"a"}"#) == .string("a"))
        #expect(try value(#"{"_valueString":{"id":"a"},"valueset":1,"value":2}"#) == nil)
    }

    @Test func containedResourcesAreFoundByTheirReference() throws {
        let contract = Contract(
            try #require(
                try JSON(
                    parsing:
                        ##"{"contained":[{"resourceType":"Group","id":"g"},{"resourceType":"Organization","id":"#o"}]}"##
                )
                .object))
        #expect(contract.containedResource("#g")?.resourceType == "Group")
        #expect(contract.containedResource("#o")?.resourceType == "Organization")
        #expect(contract.containedResource("#h") == nil)
        #expect(contract.containedResource("g") == nil)
        #expect(contract.containedResource(nil) == nil)
    }

    @Test func idsFollowTheRulesOfFHIR() {
        for id in ["a", "A-1.b", String(repeating: "x", count: 64)] { #expect(Resource.isID(id)) }
        for id in ["", "a/b", "a_b", "é", "a b", "a\n", String(repeating: "x", count: 65)] {
            #expect(!Resource.isID(id))
        }
    }

    @Test func quantitiesKeepTheirDigits() throws {
        var quantity = Quantity(value: try #require(JSONNumber(text: "72.0")), unit: "beats/min", ucum: "/min")
        let text =
            #"{"value":72.0,"unit":"beats/min","system":"http://unitsofmeasure.org","code":"/min"}"#
        #expect(quantity.json.text() == text)
        quantity.comparator = .greaterOrEqual
        #expect(quantity.value?.text == "72.0")
        #expect(Quantity(json: quantity.json)?.comparator == .greaterOrEqual)
    }

    @Test func extensionsAreFoundByTheirURL() throws {
        var item = Questionnaire.Item(linkId: "a", type: .group)
        item.extension = [
            Extension(url: "u:1", value: .integer(1)), Extension(url: "u:2", value: .string("b")),
            Extension(url: "u:1", value: .integer(2)),
        ]
        #expect(item.extensions("u:1").map(\.value) == [.integer(1), .integer(2)])
        #expect(item.extension("u:2")?.value?.type == "String")
        #expect(item.extension("u:3") == nil)
    }

    @Test func outcomeHasTheCodeAndDiagnostics() {
        let outcome = OperationOutcome(code: .invalid, detail: "some-code", diagnostics: "Mend it.")
        #expect(
            outcome.json.text() == #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"invalid","#
                + #""details":{"text":"some-code"},"diagnostics":"Mend it."}]}"#)
    }
}
