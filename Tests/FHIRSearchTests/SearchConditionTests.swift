import FHIR
import Foundation
import TestSupport
import Testing

@testable import FHIRSearch

/// The standard's own examples, by type, prefix and modifier (<https://hl7.org/fhir/R4/search.html>).
@Suite struct SearchConditionTests {
    /// Whether a resource of a type with the members is found.
    private func finds(
        _ type: String, members: String, name: String, value: String,
        context: SearchCondition.Context = .init(),
        terminology: SearchCondition.TerminologyAnswer? = nil
    ) throws -> Bool {
        let json = #"{"resourceType":"\#(type)"\#(members.isEmpty ? "" : ",")\#(members)}"#
        let values = try #require(SearchValues(of: try Resource(Array(json.utf8))))
        let condition = try SearchCondition(name, value: value, of: type, in: context)
        return condition.matches(values, terminology: terminology)
    }

    // MARK: Numbers

    @Test(arguments: [
        ("100", "99.6", true), ("100", "100.4", true), ("100", "99.4", false), ("100", "100.6", false),
        ("100", "100.5", false), ("100.00", "100.00", true), ("100.00", "100.01", false), ("100.00", "100", true),
        ("100.00", "99.995", true),
        ("100.00", "100.005", false), ("100.00", "100.0049", true), ("100.0", "100", true), ("100", "100.49", true),
        ("100", "99.5", true), ("ne100.00", "100", false), ("ne100.00", "100.005", true), ("1e2", "95", true),
        ("1e2", "105", false), ("1.00e2", "100", true), ("1.00e2", "100.5", false), ("2e-1", "0.2", true),
        ("ap100.00", "100", true), ("1e 2", "100", true), ("ge100.00", "100", true), ("le100.00", "100", true),
        ("gt99.999", "100", true), ("lt100.001", "100", true), ("sa99.9", "100", true), ("eb100.1", "100", true),
        ("1e2", "96.0", true), ("1e2", "94.0", false), ("1e2", "104.0", true), ("1e2", "106.0", false),
        ("lt100", "99.9999", true), ("lt100", "100", false), ("le100", "100", true), ("le100", "100.0001", false),
        ("gt100", "100", false), ("gt100", "100.0001", true), ("ge100", "100", true), ("ge100", "99.9999", false),
        ("ne100", "99.4", true), ("ne100", "100.2", false), ("sa100", "100.1", true), ("sa100", "100", false),
        ("eb100", "99.9", true), ("eb100", "100", false), ("ap100", "91.0", true), ("ap100", "89.0", false),
        ("ap100", "109.0", true), ("ap100", "111.0", false), ("eq100", "100", true), ("gt8e-1", "0.81", true),
        ("gt8e-1", "0.8", false), ("-5", "-5.2", true), ("lt0", "-0.1", true), ("2.0", "1.96", true),
        ("2.0", "2.06", false),
    ])
    func aDecimalComparesByTheImplicitRange(asked: String, stored: String, isFound: Bool) throws {
        #expect(
            try finds(
                "RiskAssessment", members: #""prediction":[{"probabilityDecimal":\#(stored)}]"#, name: "probability",
                value: asked)
                == isFound, "\(asked) \(stored)")
    }

    @Test(arguments: [
        ("2", 2, true), ("2", 1, false), ("2", 3, false), ("2.0", 2, true), ("2.5", 2, false), ("2.5", 3, false),
        ("gt2", 2, false), ("gt2", 3, true), ("ge2", 2, true), ("lt2", 2, false), ("le2", 2, true), ("ne2", 2, false),
        ("ne2", 3, true), ("100", 100, true),
    ])
    func anIntegerIsExact(asked: String, stored: Int, isFound: Bool) throws {
        #expect(
            try finds(
                "MolecularSequence", members: #""variant":[{"start":\#(stored)}]"#, name: "variant-start", value: asked)
                == isFound,
            "\(asked) \(stored)")
    }

    // MARK: Dates

    private static let since = #"{"start":"2013-01-21"}"#
    private static let later = #"{"start":"2013-03-15"}"#
    private static let until = #"{"end":"2013-01-21"}"#

    @Test(arguments: [
        ("eq2013-01-14", "2013-01-14T00:00:00Z", true), ("eq2013-01-14", "2013-01-14T10:00:00Z", true),
        ("eq2013-01-14", "2013-01-15T00:00:00Z", false), ("2013-01-14", "2013-01", false),
        ("ne2013-01-14", "2013-01-15T00:00:00Z", true), ("ne2013-01-14", "2013-01-14T00:00:00Z", false),
        ("ne2013-01-14", "2013-01-14T10:00:00Z", false), ("lt2013-01-14T10:00", "2013-01-14", true),
        ("gt2013-01-14T10:00", "2013-01-14", true), ("ge2013-03-14", Self.since, true),
        ("le2013-03-14", Self.since, true), ("sa2013-03-14", Self.later, true), ("sa2013-03-14", Self.since, false),
        ("sa2013-03-14", Self.until, false), ("eb2013-03-14", Self.later, false), ("eb2013-03-14", Self.since, false),
        ("eb2013-03-14", Self.until, true), ("2000", "2000-12-31T23:59:59Z", true),
        ("2016-12-31", "2016-12-31T23:59:60Z", true),
        ("2017-01-01", "2016-12-31T23:59:60Z", false), ("ge2017", "2016-12-31T23:59:60Z", false),
        ("2000-04", "2000-04-30", true),
        ("2000-04", "2000-05-01", false), ("eq2013-01-14T10:00+02:00", "2013-01-14T08:00:30Z", true),
    ])
    func aDateComparesAsARange(asked: String, stored: String, isFound: Bool) throws {
        let member = stored.hasPrefix("{") ? "\"effectivePeriod\":\(stored)" : "\"effectiveDateTime\":\"\(stored)\""
        #expect(try finds("Observation", members: member, name: "date", value: asked) == isFound, "\(asked) \(stored)")
    }

    @Test func aDateIsNearByATenthOfItsDistanceToNow() throws {
        let now = try #require(DateTime.init("2013-03-24")).start()
        func isNear(_ stored: String) throws -> Bool {
            try finds(
                "Observation", members: "\"effectiveDateTime\":\"\(stored)\"", name: "date", value: "ap2013-03-14",
                context: .init(now: now))
        }
        #expect(try isNear("2013-03-14") && isNear("2013-03-13"))
        #expect(try !isNear("2013-01-21") && !isNear("2015-06-15"))
    }

    @Test func thePrefixesOfDatesAgreeWithEachOther() {
        var random = Seeded.fresh()
        for _ in 0..<2_000 {
            let numbers = (0..<4).map { _ in Int64.random(in: 0...6, using: &random) }
            let stored = SearchPeriod(low: min(numbers[0], numbers[1]), high: max(numbers[0], numbers[1]) + 1)
            let asked = SearchPeriod(low: min(numbers[2], numbers[3]), high: max(numbers[2], numbers[3]) + 1)
            let holds = Set(SearchPrefix.allCases.filter { stored.matches($0, asked) })
            // The relations between the prefixes, for any ranges.
            #expect(holds.contains(.eq) != holds.contains(.ne))
            #expect(!holds.contains(.eq) || holds.contains(.ge) && holds.contains(.le) && holds.contains(.ap))
            #expect(!holds.contains(.sa) || holds.contains(.gt) && !holds.contains(.lt) && !holds.contains(.ap))
            #expect(!holds.contains(.eb) || holds.contains(.lt) && !holds.contains(.gt) && !holds.contains(.ap))
            #expect(holds.contains(.ap) || holds.contains(.sa) || holds.contains(.eb))
        }
    }

    // MARK: Strings

    @Test(arguments: [
        ("given", "eve", "Eve", true), ("given", "eve", "Evelyn", true), ("given", "eve", "Severine", false),
        ("given:contains", "eve", "Severine", true), ("given:contains", "EVE", "Severine", true),
        ("given:exact", "Eve", "Eve", true), ("given:exact", "Eve", "eve", false), ("given:exact", "Eve", "EVE", false),
        ("given:exact", "Eve", "Evelyn", false), ("given", "zoe", "Zoë", true), ("given", "Zoë", "ZOE", true),
        ("given:exact", "Zoe", "Zoë", false), ("given", "anna  maria", "Anna Maria", true),
        ("given", "x,eve", "Eve", true),
        ("given", "a\\,b", "a,b", true), ("given", "ob", "O'Brien", true),
    ])
    func aStringIsFoundByItsBegin(name: String, asked: String, stored: String, isFound: Bool) throws {
        #expect(
            try finds("Patient", members: "\"name\":[{\"given\":[\"\(stored)\"]}]", name: name, value: asked)
                == isFound, "\(name) \(asked)")
    }

    // MARK: Tokens

    private static let acme =
        #""identifier":[{"system":"http://acme.org/patient","value":"2345","type":{"text":"Medical Record","coding":[{"system":"http://terminology.hl7.org/CodeSystem/v2-0203","code":"MR"}]}}],"gender":"male","active":true"#

    @Test(arguments: [
        ("identifier", "http://acme.org/patient|2345", true), ("identifier", "2345", true),
        ("identifier", "|2345", false), ("identifier", "http://acme.org/patient|", true),
        ("identifier", "http://acme.org/other|2345", false), ("identifier", "http://acme.org/other|", false),
        ("identifier", "234", false), ("gender", "male", true), ("gender", "MALE", false),
        ("gender:not", "male", false),
        ("gender:not", "female", true), ("gender", "female,male", true), ("gender:not", "female,male", false),
        ("gender", "http://hl7.org/fhir/administrative-gender|male", true), ("active", "true", true),
        ("active", "false", false), ("birthdate:missing", "true", true), ("birthdate:missing", "false", false),
        ("gender:missing", "false", true), ("gender:missing", "true", false), ("language:not", "de", true),
        ("identifier:of-type", "http://terminology.hl7.org/CodeSystem/v2-0203|MR|2345", true),
        ("identifier:of-type", "http://terminology.hl7.org/CodeSystem/v2-0203|MR|23", false),
        ("identifier:of-type", "http://terminology.hl7.org/CodeSystem/v2-0203|SS|2345", false),
        ("identifier:text", "medical", true), ("identifier:text", "record", false),
    ])
    func aTokenIsFoundByCodeAndSystem(name: String, asked: String, isFound: Bool) throws {
        #expect(try finds("Patient", members: Self.acme, name: name, value: asked) == isFound, "\(name) \(asked)")
    }

    /// "When in doubt, servers SHOULD treat tokens in a case-insensitive manner."
    @Test(arguments: [
        (#""identifier":[{"system":"urn:mrn","value":"MRN-Abc"}]"#, "identifier", "mrn-abc", true),
        (#""identifier":[{"system":"urn:mrn","value":"MRN-Abc"}]"#, "identifier", "urn:mrn|MRN-ABC", true),
        (#""identifier":[{"system":"urn:mrn","value":"MRN-Abc"}]"#, "identifier", "URN:MRN|MRN-Abc", false),
        (#""identifier":[{"value":"MRN-Abc"}]"#, "identifier", "|mrn-ABC", true),
        (#""identifier":[{"value":"MRN-Abc"}]"#, "identifier:not", "mrn-abc", false),
        (
            #""identifier":[{"value":"AbC","type":{"coding":[{"system":"urn:t","code":"MR"}]}}]"#, "identifier:of-type",
            "urn:t|MR|abc", true
        ),
        (
            #""identifier":[{"value":"AbC","type":{"coding":[{"system":"urn:t","code":"MR"}]}}]"#, "identifier:of-type",
            "urn:t|MR|abd", false
        ),
        (#""telecom":[{"system":"email","value":"Eve@Example.org"}]"#, "email", "eve@example.ORG", true),
        (#""gender":"male""#, "gender", "Male", false),
        (#""meta":{"tag":[{"system":"urn:tags","code":"First"}]}"#, "_tag", "urn:tags|FIRST", true),
        (
            #""meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode","code":"HIV"}]}"#,
            "_security", "hiv", false
        ),
        (#""generalPractitioner":[{"identifier":{"value":"GP-1"}}]"#, "general-practitioner:identifier", "gp-1", true),
    ])
    func aTokenIsFoundWithoutRegardToCaseUnlessItsSystemHasOne(
        members: String, name: String, asked: String, isFound: Bool
    ) throws {
        #expect(try finds("Patient", members: members, name: name, value: asked) == isFound, "\(name)=\(asked)")
    }

    @Test(arguments: [
        ("http://hl7.org/fhir/sid/icd-10", "E11.9A", "e11.9a", true), ("urn:icd", "E11.9A", "e11.9a", true),
        ("urn:icd", "E11.9A", "E11.9A", true), (nil, "Walking", "WALKING", true),
        ("http://unitsofmeasure.org", "mg", "MG", false), ("http://unitsofmeasure.org", "mg", "mg", true),
        ("http://loinc.org", "LA6576-8", "la6576-8", true),
        ("http://terminology.hl7.org/CodeSystem/v3-ActCode", "AMB", "amb", false),
    ])
    func caseSensitivityOfACodeDependsOnItsSystem(system: String?, stored: String, asked: String, isFound: Bool) throws
    {
        let member = system.map { #""system":"\#($0)","# } ?? ""
        let code = #""code":{"coding":[{\#(member)"code":"\#(stored)"}]}"#
        #expect(
            try finds("Observation", members: code, name: "code", value: asked) == isFound, "\(system ?? "")|\(asked)")
        if let system {
            #expect(try finds("Observation", members: code, name: "code", value: "\(system)|\(asked)") == isFound)
        }
    }

    @Test func elementWithOnlyExtensionsIsMissing() throws {
        let absent = #""_gender":{"extension":[{"url":"http://x.example","valueCode":"unknown"}]}"#
        #expect(try finds("Patient", members: absent, name: "gender:missing", value: "true"))
    }

    @Test func aConceptIsFoundByItsTextsAndByAnyOfItsCodings() throws {
        let code =
            #""code":{"coding":[{"system":"http://acme.org/conditions/codes","code":"ha125","display":"Headache"},{"system":"urn:b","code":"b"}],"text":"Migräne"}"#
        for (name, asked, isFound) in [
            ("code", "http://acme.org/conditions/codes|ha125", true), ("code", "urn:b|ha125", false),
            ("code", "b", true),
            ("code:text", "headache", true), ("code:text", "migrane", true), ("code:text", "ache", false),
            ("code", "headache", false), ("code:not", "b", false),
        ] {
            #expect(try finds("Condition", members: code, name: name, value: asked) == isFound, "\(name) \(asked)")
        }
    }

    @Test func textsThatOnlyLookTheSameAreNot() throws {
        let code = "\"code\":{\"coding\":[{\"code\":\"caf\u{e9}\"}]}"
        #expect(try finds("Condition", members: code, name: "code", value: "caf\u{e9}"))
        #expect(try !finds("Condition", members: code, name: "code", value: "cafe\u{301}"))
    }

    @Test func valueSetsAndHierarchiesUseTheTerminology() throws {
        let code = #""code":{"coding":[{"system":"http://snomed.info/sct","code":"1"}]}"#
        let answer: SearchCondition.TerminologyAnswer = { token, modifier, comparand in
            switch comparand {
            case .valueSet(let url): token.code == "1" && url == "http://v.example/set"
            case .token(let asked): modifier == .below && asked.code == "126851005" && token.code == "1"
            default: false
            }
        }
        #expect(
            try finds("Condition", members: code, name: "code:in", value: "http://v.example/set", terminology: answer))
        #expect(
            try !finds(
                "Condition", members: code, name: "code:not-in", value: "http://v.example/set", terminology: answer))
        #expect(
            try finds(
                "Condition", members: code, name: "code:not-in", value: "http://v.example/other", terminology: answer))
        #expect(try finds("Condition", members: code, name: "code:below", value: "126851005", terminology: answer))
        #expect(try !finds("Condition", members: code, name: "code:above", value: "126851005", terminology: answer))
        #expect(try !finds("Condition", members: code, name: "code:in", value: "http://v.example/set"))
        #expect(try finds("Condition", members: code, name: "code:below", value: "1"))
    }

    @Test func aMediaTypeIsFoundWithItsParameters() throws {
        let content = #""content":[{"attachment":{"contentType":"text/xml; charset=UTF-8"}}]"#
        #expect(try !finds("DocumentReference", members: content, name: "contenttype", value: "text/xml"))
        #expect(try finds("DocumentReference", members: content, name: "contenttype:below", value: "text/xml"))
        #expect(try !finds("DocumentReference", members: content, name: "contenttype:below", value: "text/xm"))
    }

    // MARK: Quantities

    private static let ucum = "http://unitsofmeasure.org"

    @Test(arguments: [
        ("5.4|\(Self.ucum)|mg", "5.40", "mg", true), ("5.4|\(Self.ucum)|mg", "5.44", "mg", true),
        ("5.4|\(Self.ucum)|mg", "5.46", "mg", false), ("5.40e-3|\(Self.ucum)|g", "5.400", "mg", true),
        ("5.40e-3|\(Self.ucum)|g", "5.41", "mg", false), ("5.4||mg", "5.4", "mg", true), ("5.4||g", "5.4", "mg", false),
        ("5.4||milligram", "5.4", "mg", true), ("5.4", "5.4", "mg", true), ("5.4", "5.4", "kg", true),
        ("le5.4|\(Self.ucum)|mg", "5.4", "mg", true), ("le5.4|\(Self.ucum)|mg", "5.41", "mg", false),
        ("ap5.4|\(Self.ucum)|mg", "5.9", "mg", true), ("ap5.4|\(Self.ucum)|mg", "6.1", "mg", false),
        ("gt5|\(Self.ucum)|mg", "5.1", "g", true), ("lt5|\(Self.ucum)|mg", "5.1", "g", false),
        ("5.4|\(Self.ucum)|mm", "5.4", "mg", false), ("0.23|\(Self.ucum)|m/h", "230.0", "mm/h", true),
        ("37.0|\(Self.ucum)|Cel", "98.6", "[degF]", true), ("gt100|\(Self.ucum)|[degF]", "38.0", "Cel", true),
        ("5.4|urn:other|mg", "5.4", "mg", false),
        ("70.0|\(Self.ucum)|kg", "70", "kg", true), ("70000|\(Self.ucum)|g", "70", "kg", true),
        ("70001|\(Self.ucum)|g", "70", "kg", false), ("1000|\(Self.ucum)|mg", "1", "g", true),
        ("1000.00|\(Self.ucum)|mg", "1", "g", true), ("ne1000|\(Self.ucum)|mg", "1", "g", false),
        ("70.0", "70", "kg", true), ("70.00||kg", "70", "kg", true), ("37.00|\(Self.ucum)|Cel", "98.6", "[degF]", true),
        ("ge70000|\(Self.ucum)|g", "70", "kg", true), ("gt70000|\(Self.ucum)|g", "70", "kg", false),
        ("eb70000.1|\(Self.ucum)|g", "70", "kg", true), ("sa69999.9|\(Self.ucum)|g", "70", "kg", true),
        ("5.40e-3|\(Self.ucum)|g", "5.4", "mg", true),
    ])
    func aQuantityComparesInBaseUnits(asked: String, stored: String, unit: String, isFound: Bool) throws {
        let value = """
            "valueQuantity":{"value":\(stored),"unit":"milligram","system":"\(Self.ucum)","code":"\(unit)"}
            """
        #expect(
            try finds("Observation", members: value, name: "value-quantity", value: asked) == isFound,
            "\(asked) \(stored) \(unit)")
    }

    @Test(arguments: [
        ("gt5", "<", false), ("lt5", "<", true), ("5", "<", false), ("gt100", ">", true), ("lt4", ">", false),
        ("ap5", ">", true), ("ne5", "<", true),
    ])
    func comparatorOfAQuantityOpensOneSide(asked: String, comparator: String, isFound: Bool) throws {
        let value = #""valueQuantity":{"value":5,"comparator":"\#(comparator)"}"#
        #expect(
            try finds("Observation", members: value, name: "value-quantity", value: asked) == isFound,
            "\(asked) \(comparator)")
    }

    // MARK: References

    private static let own = SearchCondition.Context(ownBases: ["http://example.org/fhir"])

    @Test(arguments: [
        ("subject", "23", "Patient/23", true), ("subject", "Patient/23", "Patient/23", true),
        ("subject", "Group/23", "Patient/23", false), ("subject:Patient", "23", "Patient/23", true),
        ("subject:Group", "23", "Patient/23", false),
        ("subject", "Patient/23", "http://example.org/fhir/Patient/23", true),
        ("subject", "http://example.org/fhir/Patient/23", "Patient/23", true),
        ("subject", "http://example.org/fhir/Patient/23", "http://example.org/fhir/Patient/23/_history/2", true),
        ("subject", "Patient/23", "http://other.example/fhir/Patient/23", false),
        ("subject", "23", "http://other.example/fhir/Patient/23", false),
        ("patient", "23", "http://other.example/fhir/Patient/23", false),
        ("patient", "http://other.example/fhir/Patient/23", "http://other.example/fhir/Patient/23/_history/2", true),
        ("subject:Patient", "23", "http://other.example/fhir/Patient/23", false),
        ("performer", "Practitioner/23", "http://other.example/fhir/Practitioner/23", false),
        ("subject", "http://other.example/fhir/Patient/23", "http://other.example/fhir/Patient/23", true),
        ("subject", "http://other.example/fhir/Patient/23", "Patient/23", false),
        ("patient", "23", "Patient/23", true), ("patient", "23", "Group/23", false),
        ("subject", "urn:uuid:0c3151bd", "urn:uuid:0c3151bd", true), ("subject", "urn:uuid:1", "urn:uuid:2", false),
    ])
    func aReferenceIsFoundByTypeIdAndServer(name: String, asked: String, stored: String, isFound: Bool) throws {
        #expect(
            try finds(
                "Observation", members: "\"subject\":{\"reference\":\"\(stored)\"}", name: name, value: asked,
                context: Self.own) == isFound,
            "\(name) \(asked) \(stored)")
    }

    @Test func aReferenceIsFoundByItsIdentifier() throws {
        let subject =
            #""subject":{"reference":"Patient/1","identifier":{"system":"http://acme.org/fhir/identifier/mrn","value":"123456"}}"#
        let name = "subject:identifier"
        #expect(
            try finds("Observation", members: subject, name: name, value: "http://acme.org/fhir/identifier/mrn|123456"))
        #expect(try finds("Observation", members: subject, name: name, value: "123456"))
        #expect(try !finds("Observation", members: subject, name: name, value: "http://acme.org/other|123456"))
        #expect(try !finds("Observation", members: subject, name: "subject", value: "123456"))
    }

    @Test(arguments: [
        ("questionnaire", "http://acme.com/some-profile", true),
        ("questionnaire", "http://acme.com/some-profile|1.1", true),
        ("questionnaire", "http://acme.com/some-profile|1", false),
        ("questionnaire:below", "http://acme.com/some-profile|1", true),
        ("questionnaire:below", "http://acme.com/some-profile|2", false),
        ("questionnaire", "http://acme.com/some", false),
    ])
    func aCanonicalIsFoundWithItsVersionAndWithout(name: String, asked: String, isFound: Bool) throws {
        let form = #""questionnaire":"http://acme.com/some-profile|1.1""#
        #expect(
            try finds("QuestionnaireResponse", members: form, name: name, value: asked) == isFound, "\(name) \(asked)")
    }

    @Test func aCanonicalThatEndsLikeAReferenceIsFound() throws {
        let form = #""questionnaire":"http://acme.com/fhir/Questionnaire/a""#
        #expect(
            try finds(
                "QuestionnaireResponse", members: form, name: "questionnaire",
                value: "http://acme.com/fhir/Questionnaire/a"))
    }

    // MARK: URIs

    @Test(arguments: [
        ("url", "http://acme.org/fhir/ValueSet/123", true), ("url", "http://acme.org/fhir/ValueSet/12", false),
        ("url", "HTTP://acme.org/fhir/ValueSet/123", false), ("url:below", "http://acme.org/fhir/", true),
        ("url:below", "http://acme.org/other/", false),
        ("url:above", "http://acme.org/fhir/ValueSet/123/_history/5", true),
        ("url:above", "http://acme.org/fhir/ValueSet/1234", false),
        ("url:above", "http://acme.org/fhir/ValueSet", false),
    ])
    func uriIsFoundExactlyOrByItsPath(name: String, asked: String, isFound: Bool) throws {
        #expect(
            try finds("ValueSet", members: #""url":"http://acme.org/fhir/ValueSet/123""#, name: name, value: asked)
                == isFound,
            "\(name) \(asked)")
        #expect(try finds("ValueSet", members: #""url":"urn:oid:1.2.3.4.5""#, name: "url", value: "urn:oid:1.2.3.4.5"))
        #expect(try !finds("ValueSet", members: #""url":"urn:oid:1.2.3.4.5""#, name: "url:below", value: "urn:oid:1.2"))
    }

    @Test func aDefinitionIsFoundWithItsVersionAndWithout() throws {
        let set =
            #""url":"http://acme.org/fhir/ValueSet/123","version":"2","meta":{"profile":["http://p.example/a|1"]}"#
        for (name, asked, isFound) in [
            ("url", "http://acme.org/fhir/ValueSet/123", true), ("url", "http://acme.org/fhir/ValueSet/123|2", true),
            ("url", "http://acme.org/fhir/ValueSet/123|1", false), ("_profile", "http://p.example/a", true),
            ("_profile", "http://p.example/a|1", true), ("_profile", "http://p.example/a|2", false),
        ] {
            #expect(try finds("ValueSet", members: set, name: name, value: asked) == isFound, "\(name) \(asked)")
        }
    }

    // MARK: Composites

    private static let pressure =
        #""component":[{"code":{"coding":[{"system":"http://loinc.org","code":"8480-6"}]},"valueQuantity":{"value":107,"unit":"mmHg"}},{"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}]},"valueQuantity":{"value":55,"unit":"mmHg"}}]"#

    @Test(arguments: [
        ("http://loinc.org|8480-6$gt100", true), ("http://loinc.org|8480-6$lt60", false),
        ("http://loinc.org|8462-4$lt60", true), ("8462-4$lt60,8480-6$lt60", true), ("8480-6$107||mmHg", true),
        ("8480-6$55||mmHg", false),
    ])
    func compositeMatchesWithinOneElement(asked: String, isFound: Bool) throws {
        #expect(
            try finds("Observation", members: Self.pressure, name: "component-code-value-quantity", value: asked)
                == isFound, "\(asked)")
    }

    // MARK: Bad values

    @Test(arguments: [
        ("birthdate", "yesterday", "parameter-invalid"), ("birthdate", "2026-13-01", "parameter-invalid"),
        ("birthdate:exact", "2026-01-01", "modifier-unknown"), ("name:of-type", "a|b|c", "modifier-unknown"),
        ("name:nonsense", "a", "modifier-unknown"), ("nothing", "a", "parameter-unknown"),
        ("near", "1|2", "parameter-unknown"),
        ("name", "a\\b", "parameter-escape"), ("name", "a\\", "parameter-escape"), ("name", ",", "parameter-invalid"),
        ("name", "a\0", "parameter-invalid"), ("gender:missing", "maybe", "parameter-invalid"),
        ("identifier:of-type", "a|b", "parameter-invalid"), ("identifier", "|", "parameter-invalid"),
        ("name", "\u{301}", "parameter-invalid"), ("name:contains", "  ", "parameter-invalid"),
        ("general-practitioner", "no id!", "parameter-invalid"),
        ("general-practitioner:Patient", "Group/1", "parameter-invalid"),
        ("general-practitioner:Nobody", "1", "modifier-unknown"),
    ])
    func aBadValueIsRefusedAndNotRepeated(name: String, value: String, code: String) {
        let error = #expect(throws: SearchConditionError.self) {
            try SearchCondition(name, value: value, of: "Patient")
        }
        #expect(error?.code == code, "\(name)")
        #expect(error.map { value.count < 4 || !$0.message.contains(value) } == true)
    }

    @Test(arguments: [
        ("value-quantity", "5,4|", "parameter-invalid"), ("value-quantity", "ge|x|y", "parameter-invalid"),
        ("value-quantity", "1|2|3|4", "parameter-invalid"), ("value-quantity", "+5", "parameter-invalid"),
        ("value-quantity", "1e999", "parameter-invalid"), ("value-quantity", "NaN", "parameter-invalid"),
        ("component-code-value-quantity", "a", "parameter-invalid"),
        ("component-code-value-quantity", "a$b$c", "parameter-invalid"),
        ("component-code-value-quantity:missing", "true", "modifier-unknown"),
        ("component-code-value-quantity", "a$high", "parameter-invalid"),
    ])
    func aBadQuantityIsRefused(name: String, value: String, code: String) {
        let error = #expect(throws: SearchConditionError.self) {
            try SearchCondition(name, value: value, of: "Observation")
        }
        #expect(error?.code == code, "\(name) \(value)")
    }

    @Test func valuesBeyondTheLimitAreRefused() {
        let error = #expect(throws: SearchConditionError.self) {
            try SearchCondition("code", value: String(repeating: "a,", count: 1_001), of: "Observation")
        }
        #expect(error?.code == "too-costly")
    }
}
