import FHIR
import FHIRValidation
import Testing

@Suite struct StructureTests {
    @Test func aRightResourceHasNoErrors() {
        #expect(Validated.errors(Validated.observation()) == [])
        #expect(
            Validated.errors(
                Validated.patient(#""active":true,"name":[{"given":["A","B"],"_given":[null,{"id":"b"}]}]"#)) == [])
    }

    @Test(arguments: [
        (#""foo":1"#, "unknown-element Patient.foo"),
        (#""Active":true"#, "unknown-element Patient.Active"),
        (#""name":{"family":"A"}"#, "array-expected Patient.name"),
        (#""active":[true]"#, "unexpected-array Patient.active"),
        (#""name":[]"#, "empty-array Patient.name"),
        (#""name":[{}]"#, "ele-1 Patient.name[0]"),
        (#""name":["A"]"#, "wrong-shape Patient.name[0]"),
        (#""name":[[{"family":"A"}]]"#, "nested-array Patient.name[0]"),
        (#""active":null"#, "null-value Patient.active"),
        (#""active":"true""#, "wrong-shape Patient.active"),
        (#""birthDate":1970"#, "wrong-shape Patient.birthDate"),
        (#""gender":"bogus""#, "required-binding Patient.gender"),
        (#""deceased":true"#, "choice-type Patient.deceased"),
        (#""deceasedString":"no""#, "choice-type Patient.deceasedString"),
        (#""deceasedBoolean":true,"deceasedDateTime":"2020""#, "several-choices Patient.deceasedDateTime"),
        (#""_active":[{"id":"a"}]"#, "unexpected-array Patient._active"),
        (#""_active":{}"#, "ele-1 Patient.active"),
        (#""_name":[{"id":"a"}]"#, "sibling-of-object Patient._name"),
        (#""name":[{"given":["A"],"_given":[null,{"id":"b"}]}]"#, "sibling-length Patient.name[0].given"),
        (#""communication":[{"preferred":true}]"#, "required-element Patient.communication[0].language"),
        (#""contact":[{"gender":"male"}]"#, "pat-1 Patient.contact[0]"),
    ])
    func wrongStructureIsFoundWithItsPath(member: String, expected: String) {
        let found = Validated.errors(Validated.patient(member))
        #expect(found.contains { $0.replacing("_", with: "") == expected.replacing("_", with: "") }, "\(found)")
    }

    /// HealthKitOnFHIR's identifier has an id and no value, HealthKitToFhir's codings have a system without a scheme.
    @Test(arguments: [
        (#""identifier":[{"id":"a"}]"#, "ele-1"), (#""identifier":[{"id":"a","value":""}]"#, "empty-text"),
        (#""maritalStatus":{"coding":[{"id":"a"}]}"#, "ele-1"),
        (#""maritalStatus":{"coding":[{"system":"com.apple.health","code":"x"}]}"#, "relative-system"),
        (#""meta":{"tag":[{"system":"com.apple.health","code":"x"}]}"#, "relative-system"),
    ])
    func emptyElementsOfKnownLibrariesAreWarnings(member: String, code: String) {
        #expect(Validated.errors(Validated.patient(member)) == [])
        let issues = FHIRValidator().validate(Array(Validated.patient(member).utf8)).issues
        #expect(issues.contains { $0.code == code && $0.severity == .warning }, "\(issues.map(\.code))")
    }

    @Test(arguments: [
        (#""name":[{"id":"a"}]"#, "ele-1 Patient.name[0]"), (#""identifier":[{}]"#, "ele-1 Patient.identifier[0]"),
        (#""identifier":[{"value":"a","system":""}]"#, "empty-text Patient.identifier[0].system"),
    ])
    func anyOtherElementWithoutContentIsAnError(member: String, expected: String) {
        #expect(Validated.errors(Validated.patient(member)) == [expected])
    }

    @Test(arguments: [
        (#""birthDate":"1970-02-30""#, "invalid-date"), (#""birthDate":"1970-13""#, "invalid-date"),
        (#""birthDate":"1970-01-01T00:00:00Z""#, "invalid-date"), (#""id":"a b""#, "invalid-id"),
        (#""deceasedDateTime":"2020-01-01T10:00:00""#, "invalid-dateTime"),
        (#""deceasedDateTime":"2020-01-01T10:00Z""#, "invalid-dateTime"),
        (#""meta":{"lastUpdated":"2020-01-01"}"#, "invalid-instant"),
        (#""implicitRules":"http://a b""#, "invalid-uri"), (#""gender":" male""#, "invalid-code"),
        (#""multipleBirthInteger":1.5"#, "invalid-integer"), (#""multipleBirthInteger":2147483648"#, "invalid-integer"),
        (#""multipleBirthInteger":1e2"#, "invalid-integer"), (#""name":[{"family":""}]"#, "empty-text"),
        (#""name":[{"family":"  "}]"#, "empty-text"), (#""name":[{"family":"a\u0001"}]"#, "invalid-string"),
        (#""photo":[{"contentType":"image/png","data":"AAA"}]"#, "invalid-base64Binary"),
        (#""telecom":[{"rank":0}]"#, "invalid-positiveInt"), (#""photo":[{"size":-1}]"#, "invalid-unsignedInt"),
    ])
    func aWrongPrimitiveIsFound(member: String, code: String) {
        let found = Validated.errors(Validated.patient(member))
        #expect(found.contains { $0.hasPrefix(code) }, "\(found)")
    }

    @Test(arguments: ["2020-01-01T23:59:60Z", "2020-06-01T10:00:00.123456+02:00", "1905", "1905-08"])
    func everyFormOfDateTimeIsAllowed(text: String) {
        #expect(Validated.errors(Validated.patient(#""deceasedDateTime":"\#(text)""#)) == [])
    }

    @Test func theTypeOfTheResourceIsChecked() {
        #expect(Validated.errors("{}") == ["resource-type-missing %resource"])
        #expect(Validated.errors(#"{"resourceType":"patient"}"#) == ["unknown-resource-type patient.resourceType"])
        #expect(Validated.errors(#"{"resourceType":"DomainResource"}"#).first?.hasPrefix("abstract-type") == true)
        #expect(Validated.errors("[]") == ["resource-type-missing %resource"])
    }

    @Test func everyIssueHasItsLineAndColumn() {
        let text = """
            {
              "resourceType": "Patient",
              "name": [
                {"family": "A"},
                {"family": "B", "use": "wrong"}
              ],
              "foo": 1
            }
            """
        let issues = FHIRValidator().validate(Array(text.utf8)).errors
        #expect(issues.map(\.line) == [5, 7])
        #expect(issues.map(\.column) == [21, 3])
        #expect(issues[0].expression == "Patient.name[1].use")
    }

    @Test func invalidJSONHasItsLine() {
        let issues = FHIRValidator().validate(Array("{\n\"resourceType\":\"Patient\",\n\"a\":1,\"a\":2}".utf8)).issues
        #expect(issues.map(\.severity) == [.fatal])
        #expect(issues[0].code == "json-duplicate-key" && issues[0].line == 3)
    }

    @Test func theOutcomeIsValidItself() throws {
        let report = FHIRValidator().validate(Array(Validated.patient(#""foo":1,"active":"x""#).utf8))
        let outcome = report.operationOutcome.json
        #expect(FHIRValidator().validate(outcome.bytes()).errors == [])
        #expect(outcome["issue"]?[0]?["expression"]?[0]?.string == "Patient.foo")
        let fine = FHIRValidator().validate(Array(Validated.observation().utf8))
        #expect(FHIRValidator().validate(fine.operationOutcome.json.bytes()).isValid)
    }
}
