import FHIR
import Foundation
import Testing

@Suite struct TypeModelTests {
    let model = TypeModel.r4

    @Test func modelHasEveryResourceTypeOfR4() {
        #expect(model.resourceTypes.count == 146)
        #expect(model.resourceTypes.first == "Account")
        #expect(model.resourceTypes.last == "VisionPrescription")
    }

    @Test func anElementHasTheCardinalityTypesAndTargetsOfTheDefinition() throws {
        let observation = try #require(model.type("Observation"))
        let status = try #require(model.element(named: "status", of: observation))
        #expect(status.min == 1 && status.max == 1 && status.isModifier && status.path == "Observation.status")
        #expect(status.binding?.strength == .required)
        let category = try #require(model.element(named: "category", of: observation))
        #expect(category.isRepeated && category.max == .max)
        let subject = try #require(model.element(named: "subject", of: observation))
        #expect(subject.types.first?.targets == ["Device", "Group", "Location", "Patient"])
        let text = try #require(model.element(named: "text", of: observation))
        #expect(text.path == "DomainResource.text")
    }

    @Test func aChoiceIsFoundByItsJSONNamesAndByItsPlainName() throws {
        let observation = try #require(model.type("Observation"))
        let (element, type) = try #require(model.member("valueQuantity", of: observation))
        #expect(element.name == "value" && element.isChoice && model.name(of: type) == "Quantity")
        #expect(model.member("valueAge", of: observation) == nil)
        #expect(model.member("value", of: observation) == nil)
        #expect(model.element(named: "value", of: observation)?.types.count == 11)
    }

    @Test func anOpenChoiceHasTheFiftyDataTypes() throws {
        let value = try #require(model.type("Extension").flatMap { model.element(named: "value", of: $0) })
        #expect(value.types.count == 50)
    }

    @Test func typesInheritFromTheirBases() throws {
        let names = ["code", "Age", "Patient", "Observation.component", "Timing.repeat"]
        let bases = ["string", "Quantity", "DomainResource", "BackboneElement", "Element"]
        for (name, base) in zip(names, bases) {
            let type = try #require(model.type(name))
            #expect(model.base(of: type) == model.type(base))
            #expect(model.isSubtype(type, of: try #require(model.type(base))))
        }
        let patient = try #require(model.type("Patient"))
        #expect(model.isSubtype(patient, of: model.resourceType))
        #expect(!model.isSubtype(model.resourceType, of: patient))
    }

    @Test func anElementDescribedElsewhereHasItsElements() throws {
        let item = try #require(model.type("Questionnaire.item"))
        let inner = try #require(model.element(named: "item", of: item))
        #expect(inner.types.first?.type == item)
    }

    @Test(.enabled(if: PublishedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyMemberOfThePublishedExamplesIsKnown() throws {
        var unknown: Set<String> = []
        let examples = try PublishedExamples()
        defer { examples.remove() }
        for file in examples.files() {
            func walk(_ element: TypedElement, _ path: String) {
                #expect(element.type.isKnown, "\(path)")
                element.forEachChild { child in
                    if !child.type.isKnown { unknown.insert(path + "." + child.name) }
                    walk(child, path + "." + child.name)
                }
            }
            let root = TypedElement(resource: try Resource(Array(try Data(contentsOf: file))).object)
            walk(root, file.lastPathComponent)
        }
        #expect(unknown == [])
    }

    @Test func aPrimitiveHasTheChildrenOfItsSibling() throws {
        let json = try JSON(
            Array(
                #"{"resourceType":"Patient","birthDate":"1970","_birthDate":{"id":"b","extension":[{"url":"u"}]},"name":[{"given":["A",null],"_given":[null,{"extension":[{"url":"v"}]}]}],"_active":{"id":"x"}}"#
                    .utf8))
        let patient = TypedElement(resource: try #require(json.object))
        let birth = try #require(patient.children("birthDate").first)
        #expect(birth.value == "1970" && birth.typeName == "date")
        #expect(birth.children("extension").first?.children("url").first?.value == "u")
        #expect(birth.children("id").first?.typeName == "string")
        let given = patient.children("name").flatMap { $0.children("given") }
        #expect(given.count == 2 && given[1].value == .null && given[1].children("extension").count == 1)
        #expect(patient.children("active").first?.children("id").first?.value == "x")
        #expect(patient.children().map(\.name) == ["birthDate", "name", "active"])
    }

    @Test func tableHasSearchParametersAndCompartments() throws {
        let table = SearchParameterTable.r4
        #expect(table.parameter("birthdate", of: "Patient")?.expression.hasPrefix("Patient.birthDate |") == true)
        #expect(table.parameter("_id", of: "Patient")?.kind == .token)
        #expect(
            Set(table.parameters.map(\.kind)) == [
                .number, .date, .string, .token, .reference, .composite, .quantity, .uri, .special,
            ])
        #expect(table.parameter("combo-code-value-quantity", of: "Observation")?.components.count == 2)
        #expect(table.compartmentParameters("Patient", of: "Observation") == ["subject", "performer"])
        #expect(table.compartments == ["Device", "Encounter", "Patient", "Practitioner", "RelatedPerson"])
    }
}
