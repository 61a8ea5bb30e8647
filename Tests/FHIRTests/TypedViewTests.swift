import FHIR
import Testing

/// Typed views: how they are made, and how they treat JSON that does not conform to R4.
@Suite struct TypedViewTests {
    func object(_ text: String) throws -> JSONObject { try #require(try JSON(parsing: text).object) }

    // MARK: Initialisers

    @Test func resourceIsMadeWithItsRequiredElements() {
        let code = CodeableConcept(coding: [Coding(system: "http://loinc.org", code: "8867-4")])
        var observation = Observation(id: "o", status: .final, code: code)
        observation.value = .quantity(Quantity(value: JSONNumber(72), unit: "beats/min", ucum: "/min"))
        observation.component = [Observation.Component(code: CodeableConcept(coding: [], text: "part"))]
        #expect(
            observation.json.text()
                == #"{"resourceType":"Observation","id":"o","status":"final","code":{"coding":[{"system":"#
                + #""http://loinc.org","code":"8867-4"}]},"valueQuantity":{"value":72,"unit":"beats/min","#
                + #""system":"http://unitsofmeasure.org","code":"/min"},"component":[{"code":{"text":"part"}}]}"#)
    }

    @Test func aViewIsAValue() {
        let first = Patient(id: "a")
        var second = first
        second.name = [HumanName()]
        second.name[0].given = ["Ada"]
        #expect(first.name.isEmpty && second.name.first?.given == ["Ada"])
        #expect(first != second && Set([first, second, first]).count == 2)
    }

    @Test func elementsAreNestedAsTheyAreDefined() {
        var item = Questionnaire.Item(linkId: "g", type: .group)
        item.item = [Questionnaire.Item(linkId: "q", type: .boolean)]
        var condition = Questionnaire.Item.EnableWhen(question: "a", operator: .notEqual, answer: .boolean(true))
        condition.operator = .greaterOrEqual
        item.enableWhen = [condition]
        #expect(
            item.json.text() == #"{"linkId":"g","type":"group","item":[{"linkId":"q","type":"boolean"}],"#
                + #""enableWhen":[{"question":"a","operator":">=","answerBoolean":true}]}"#)
        let inner: [Questionnaire.Item] = item.item
        #expect(inner.first?.linkId == "q")
    }

    // MARK: Codes

    @Test func anUnknownCodeIsKept() throws {
        var patient = Patient(try object(#"{"resourceType":"Patient","gender":"FEMALE","contact":[{"gender":"x"}]}"#))
        #expect(patient.gender == .unrecognized("FEMALE"))
        patient.gender = patient.gender
        patient.contact = patient.contact
        #expect(patient.json.text() == #"{"resourceType":"Patient","gender":"FEMALE","contact":[{"gender":"x"}]}"#)
        patient.gender = .unknown
        #expect(patient["gender"] == "unknown")
    }

    @Test func codesWithTheSameTextAreEqual() {
        #expect(AdministrativeGender.unrecognized("male") == .male)
        #expect(Set<AdministrativeGender>([.male, .unrecognized("male"), .unrecognized("m")]).count == 2)
        #expect(AdministrativeGender(rawValue: "other") == .other)
        #expect(AdministrativeGender.male != .female)
        #expect(PublishedFHIRVersion(rawValue: "4.0.1") == .v4_0_1)
    }

    @Test(arguments: ["7", "null", "true", "{}", #"["final"]"#])
    func codeThatIsNotAStringReadsAsNil(written: String) throws {
        let text = #"{"resourceType":"Observation","status":\#(written)}"#
        let observation = Observation(try object(text))
        #expect(observation.status == nil)
        #expect(observation.json.text() == text)
    }

    // MARK: Choices

    @Test(arguments: [
        (#"{"valueFoo":{"a":1.0}}"#, "Foo", #"{"a":1.0}"#), (#"{"valueQuantity":"x"}"#, "Quantity", #""x""#),
        (#"{"valueDateTime":"yesterday"}"#, "DateTime", #""yesterday""#), (#"{"valueInteger":1.0}"#, "Integer", "1.0"),
        (#"{"valueInteger":-0}"#, "Integer", "-0"), (#"{"valueString":null}"#, "String", "null"),
        (#"{"valueQuantity":[{"value":1}]}"#, "Quantity", #"[{"value":1}]"#),
        (#"{"valueTime":"25:00:00"}"#, "Time", #""25:00:00""#),
    ])
    func aValueThatTheViewDoesNotKnowIsKept(text: String, type: String, json: String) throws {
        var observation = Observation(try object(text))
        #expect(observation.value == .unrecognized(type: type, try JSON(parsing: json)))
        observation.value = observation.value
        #expect(observation.json.text() == text)
    }

    @Test func firstOfSeveralValuesIsReadAndSettingLeavesOne() throws {
        let text =
            #"{"a":1,"_valueString":{"id":"s"},"valueBoolean":true,"b":2,"valueString":"x","_valueBoolean":{"id":"t"},"c":3}"#
        var observation = Observation(try object(text))
        #expect(observation.value == .boolean(true))
        #expect(observation.valueElement?.id == "t")
        #expect(observation.json.text() == text)
        observation.value = .string("y")
        #expect(observation.json.text() == #"{"a":1,"_valueString":{"id":"s"},"b":2,"valueString":"y","c":3}"#)
        observation.value = .integer(1)
        #expect(observation.json.text() == #"{"a":1,"b":2,"valueInteger":1,"c":3}"#)
        observation.value = nil
        #expect(observation.json.text() == #"{"a":1,"b":2,"c":3}"#)
    }

    @Test func newValueHasTheIndexOfTheOldOne() throws {
        var observation = Observation(try object(#"{"a":1,"valueBoolean":true,"_valueBoolean":{"id":"t"},"c":3}"#))
        observation.value = .dateTime(try #require(DateTime.init("2024-05")))
        #expect(observation.json.text() == #"{"a":1,"valueDateTime":"2024-05","c":3}"#)
        var patient = Patient(try object(#"{"_deceasedBoolean":{"id":"t"},"c":3}"#))
        patient.deceased = .boolean(false)
        #expect(patient.json.text() == #"{"deceasedBoolean":false,"_deceasedBoolean":{"id":"t"},"c":3}"#)
        patient.deceased = .dateTime(try #require(DateTime.init("2024")))
        #expect(patient.json.text() == #"{"deceasedDateTime":"2024","c":3}"#)
    }

    @Test func siblingOfAChoiceWithoutAValueIsAccessible() throws {
        let text = #"{"_valueDateTime":{"extension":[{"url":"u","valueCode":"unknown"}]}}"#
        var observation = Observation(try object(text))
        #expect(observation.value == nil)
        #expect(observation.valueElement?.extension.first?.value == .code("unknown"))
        observation.value = nil
        observation.valueElement = observation.valueElement
        #expect(observation.json.text() == text)
        observation.valueElement = nil
        #expect(observation.object.isEmpty)
        observation.valueElement = PrimitiveElement()
        #expect(observation.object.isEmpty, "no name says of which type it would be")
    }

    @Test func extensionAcceptsValuesOfAnyType() throws {
        let text = #"{"url":"u","valueRange":{"low":{"value":1.0}}}"#
        var given = Extension(try object(text))
        guard case .range(let range)? = given.value else {
            Issue.record("\(String(describing: given.value))")
            return
        }
        #expect(range.low?.value?.text == "1.0")
        given.value = .range(range)
        #expect(given.json.text() == text)
        #expect(Extension.dataAbsent("masked").value == .code("masked"))
    }

    // MARK: Primitives

    @Test func extensionsOfPrimitivesAreReachable() throws {
        var patient = Patient(try object(#"{"birthDate":"1990","x":1}"#))
        #expect(patient.birthDateElement == nil)
        patient.birthDateElement = PrimitiveElement(extension: [.dataAbsent("masked")])
        patient.birthDate = nil
        #expect(
            patient.json.text() == #"{"_birthDate":{"extension":[{"url":"#
                + #""http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"x":1}"#)
        patient.birthDateElement = nil
        #expect(patient.json.text() == #"{"x":1}"#)
    }

    @Test func primitiveWithOnlyExtensionsReadsAsNil() throws {
        let text = #"{"resourceType":"Observation","_status":{"id":"s"},"_issued":{"id":"i"}}"#
        var observation = Observation(try object(text))
        #expect(observation.status == nil && observation.statusElement?.id == "s")
        observation.status = nil
        observation.issued = observation.issued
        observation.issuedElement = observation.issuedElement
        #expect(observation.json.text() == text)
    }

    @Test func invalidDateStaysUntilAnotherIsSet() throws {
        let text = #"{"birthDate":"12/31/1990","multipleBirthInteger":2}"#
        var patient = Patient(try object(text))
        #expect(patient.birthDate == nil)
        #expect(patient.json.text() == text)
        patient.birthDate = DateTime("1990-12-31")
        #expect(patient.json.text() == #"{"birthDate":"1990-12-31","multipleBirthInteger":2}"#)
        patient.birthDate = nil
        #expect(patient.json.text() == #"{"multipleBirthInteger":2}"#)
    }

    @Test func decimalsKeepTheirDigits() throws {
        let text = #"{"value":1.500e0}"#
        var quantity = Quantity(try object(text))
        quantity.value = quantity.value
        #expect(quantity.json.text() == text)
    }

    // MARK: Lists

    @Test func nullsInAListKeepTheirIndices() throws {
        let text = #"{"given":["A",null,"B"],"_given":[null,{"id":"g"},{"id":"b"}]}"#
        var name = HumanName(try object(text))
        #expect(name.given == ["A", "B"])
        #expect(name.givenElement.map { $0?.id } == [nil, "g", "b"])
        name.given = name.given
        name.givenElement = name.givenElement
        #expect(name.json.text() == text)
        name.given = ["C", "D", "E"]
        #expect(name.json.text() == #"{"given":["C",null,"D","E"],"_given":[null,{"id":"g"},{"id":"b"}]}"#)
        name.given = ["F"]
        #expect(name.json.text() == #"{"given":["F",null],"_given":[null,{"id":"g"}]}"#)
        name.given = []
        #expect(name.json.text() == #"{"_given":[{"id":"g"}]}"#)
        name.given = ["H"]
        #expect(name.json.text() == #"{"_given":[{"id":"g"}],"given":[null,"H"]}"#)
        name.givenElement = []
        #expect(name.json.text() == #"{"given":[null,"H"]}"#)
        let short = #"{"given":["A"],"_given":[null,{"id":"g"}]}"#
        name = HumanName(try object(short))
        name.given = name.given
        #expect(name.json.text() == short)
    }

    @Test func listKeepsElementsOfOtherTypes() throws {
        var name = HumanName(try object(#"{"given":["A",7,{"x":1}]}"#))
        #expect(name.given == ["A"])
        name.given.append("B")
        #expect(name.json.text() == #"{"given":["A",7,{"x":1},"B"]}"#)
        var patient = Patient(try object(#"{"name":[null,{"family":"A"},"x"]}"#))
        #expect(patient.name.map(\.family) == ["A"])
        patient.name[0].family = "B"
        #expect(patient.json.text() == #"{"name":[null,{"family":"B"},"x"]}"#)
        patient.name = []
        #expect(patient.object.isEmpty)
    }

    @Test func listsAndSingleValuesOfTheWrongCardinalityAreKept() throws {
        let text =
            #"{"gender":["male"],"maritalStatus":[{"text":"m"}],"name":{"family":"A"},"active":[true],"_active":[null],"#
            + #""link":[[{}]]}"#
        let patient = Patient(try object(text))
        #expect(patient.gender == nil && patient.maritalStatus == nil && patient.active == nil)
        #expect(patient.name.isEmpty && patient.activeElement == nil && patient.link.isEmpty)
        #expect(patient.json.text() == text)
    }

    /// For any value of any member of any view nothing traps, and reading changes nothing.
    @Test func anyValueOfAnyMemberIsReadWithoutAChange() throws {
        let junk: [JSON] = [
            .null, true, 7, "x", [], [:], [.null], [[]], ["x", .null, 7, [:]], ["value": ["value": []]], 1,
            ["resourceType": 7], .string(String(repeating: "9", count: 400)),
        ]
        for (name, view) in Pass.views {
            let type = try #require(TypeModel.r4.type(name))
            for value in junk {
                var object = JSONObject()
                for key in Samples.keys(of: type) {
                    object[key] = value
                    object["_" + key] = value
                }
                let copy = object
                _ = try? view.passed(object, Pass(isFresh: true, isStrict: false))
                #expect(object == copy)
            }
        }
    }

    // MARK: All elements

    /// Every element of every type with a view, in each type that the element allows: the view reads it, and writes it
    /// under its name.
    @Test func everyElementIsReadAndWritten() throws {
        var count = 0
        for (name, view) in Pass.views {
            let type = try #require(TypeModel.r4.type(name))
            for sample in Samples.objects(of: type) {
                let fresh = try view.passed(sample, Pass(isFresh: true, isStrict: false))
                #expect(JSON.object(fresh).sorted == JSON.object(sample).sorted, "\(name)")
                let same = try view.passed(sample, Pass(isFresh: false, isStrict: false))
                #expect(same == sample, "\(name)")
                count += sample.count
            }
        }
        #expect(count > 5_000)
    }

    @Test func theTypesThatAppsNeedHaveViews() {
        let resources = Pass.views.keys.filter { TypeModel.r4.resourceTypes.contains($0) }
        #expect(resources.count == 38)
        #expect(Pass.views.values.allSatisfy { !"\($0)".isEmpty })
    }
}
