import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct TemplateTests {
    @Test func everyKindOfSectionIsRead() throws {
        let terms = ConsentSection.Kind.allCases.map { Fixtures.term($0.rawValue) }
        let template = try Fixtures.template(terms: terms)
        #expect(template.sections.map(\.kind) == ConsentSection.Kind.allCases)
        #expect(ConsentSection.Kind.allCases.count == 10)
        #expect(template.screenSections.count == 9)
        #expect(template.warnings == [])
        #expect(template.title == "A study")
        #expect(template.teamName == "Research team")
        #expect(template.canonical == "https://study.example/Contract/c|2")
    }

    @Test func sectionsOfOtherSystemsAndUnknownCodesAreSkipped() throws {
        let template = try Fixtures.template(terms: [
            Fixtures.term("Overview", system: ConsentVocabulary.sectionType + ".html"), Fixtures.term("Nonsense"),
            Fixtures.term("Privacy", system: nil), #"{"text":"no type"}"#,
        ])
        #expect(template.sections.map(\.kind) == [.privacy])
        #expect(template.warnings.count == 3)
    }

    @Test func aContractWithoutSectionsIsRefused() throws {
        #expect(throws: ConsentError.noSections) { try Fixtures.template(terms: [Fixtures.term("Nonsense")]) }
        #expect(throws: ConsentError.notAContract) {
            try ConsentTemplate(Fixtures.resource(#"{"resourceType":"Patient"}"#))
        }
    }

    @Test func signedContractKeepsTheIncludedHealthData() throws {
        var resource = try Fixtures.resource(Self.dstu2)
        #expect(try ConsentTemplate(resource).includedHealthData == [])
        resource["extension"] = .array(
            ["routes", "notes"].map {
                ["url": .string(ConsentVocabulary.includesHealthData), "valueCode": .string($0)]
            })
        let template = try ConsentTemplate(resource)
        #expect(template.includedHealthData == ["routes", "notes"])
        let now = try #require(DateTime.init("2026-01-01T00:00:00Z"))
        let signed = template.signed(id: "c", participant: "p", sharing: nil, now: now)
        #expect(signed.includedHealthData == ["routes", "notes"])
    }

    /// The template as C3-PRO's apps of DSTU2 bundled it.
    static let dstu2 = """
        {"resourceType":"Contract","id":"org.chip.study","identifier":{"value":"x"},
         "contained":[{"resourceType":"Organization","id":"org","name":"Team","type":{"text":"t"}},
          {"resourceType":"Group","id":"eligibility","type":"person","actual":false,"characteristic":[
           {"code":{"text":"Adult?"},"exclude":false},{"code":{"text":"Pregnant?"},"valueBoolean":true,"exclude":true},
           {"code":{"text":"Well?"},"valueBoolean":false,"exclude":true},{"exclude":false},{"code":{"text":"Lost?"}}]}],
         "issued":"2015-02-18","applies":{"start":"2015-02-18"},"subject":[{"reference":"#eligibility"}],
         "authority":[{"reference":"#org"}],"actor":[{"entity":{"reference":"#org"}}],
         "type":{"coding":[{"system":"http://hl7.org/fhir/contracttypecodes","code":"consent"}]},
         "term":[{"type":{"coding":[{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType",
           "code":"Custom"}]},"text":"Summary","extension":[{
           "url":"http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection","extension":[
            {"url":"title","valueString":"Title"},{"url":"htmlContentFile","valueString":"file"},
            {"url":"image","valueString":"picture"},{"url":"animation","valueString":"film"}]}]}]}
        """

    @Test func theTemplateOfC3PROIsRead() throws {
        let template = try ConsentTemplate(Fixtures.resource(TemplateTests.dstu2))
        #expect(
            template.sections == [
                ConsentSection(
                    kind: .custom, title: "Title", summary: "Summary", htmlContentFile: "file", image: "picture",
                    animation: "film")
            ])
        #expect(
            template.eligibility.criteria == [
                EligibilityCriterion(text: "Adult?", mustBeMet: true),
                EligibilityCriterion(text: "Pregnant?", mustBeMet: false),
                EligibilityCriterion(text: "Well?", mustBeMet: true),
            ])
        #expect(template.warnings.count == 2)
        #expect(template.asksForSharing && !template.requiresSharingAnswer)
        #expect(template.canonical == nil)
    }

    @Test func verdictNeedsOneMismatchOrAllAnswers() throws {
        let eligibility = try Fixtures.template().eligibility
        #expect(eligibility.verdict([:]).isEligible == nil)
        #expect(eligibility.verdict([:]).unanswered.count == 2)
        #expect(eligibility.verdict(["Are you 18 or older?": true]).isEligible == nil)
        let no = eligibility.verdict(["Do you work at night?": true])
        #expect(no.isEligible == false)
        #expect(no.unmet == ["Do you work at night?"])
        #expect(no.unanswered == ["Are you 18 or older?"])
        #expect(eligibility.verdict(Fixtures.eligible).isEligible == true)
        #expect(
            eligibility.verdict(["  Are you 18 or\n older? ": true, "Do you work at night?": false]).isEligible == true)
        #expect(Eligibility(criteria: []).verdict([:]).isEligible == true)
    }

    @Test func templateDecidesWhetherSharingIsAsked() throws {
        func template(_ value: Bool) throws -> ConsentTemplate {
            try Fixtures.template(
                extra: #""extension":[{"url":"urn:tributary:asks-for-data-sharing","valueBoolean":\#(value)}],"#)
        }
        #expect(try template(true).requiresSharingAnswer)
        #expect(try !template(false).asksForSharing)
        #expect(throws: ConsentError.sharingUnanswered) {
            try Fixtures.signed(try template(true), sharing: nil)
        }
        #expect(try Fixtures.signed(try template(false)).contract.signer.first?.extension == [])
    }
}

@Suite struct AnswersTests {
    @Test func theAnswersFileIsRead() throws {
        let json = try JSON(
            parsing: """
                {"eligibility":{"Are you 18 or older?":true},"sharing":false,"birthDate":"1990-02-02","gender":"female",
                 "postalCode":"02139","state":"MA","country":"US"}
                """)
        let answers = try ConsentAnswers(json)
        #expect(answers.eligibility == ["Are you 18 or older?": true])
        #expect(answers.sharing == false)
        #expect(answers.person.birthDate?.year == 1990)
        #expect(answers.person.postalCode == "02139")
        #expect(try ConsentAnswers(JSON(parsing: "{}")) == ConsentAnswers())
    }

    @Test(arguments: [
        (#"{"birthDate":"1990-13-02"}"#, "birthDate"), (#"{"birthDate":"1990-01-02T00:00:00Z"}"#, "birthDate"),
        (#"{"gender":"F"}"#, "gender"), (#"{"postalCode":2139}"#, "postalCode"), (#"{"sharing":"yes"}"#, "sharing"),
        (#"{"eligibility":{"a":"yes"}}"#, "eligibility"), (#"{"eligibility":[]}"#, "eligibility"), ("[]", "answers"),
    ])
    func malformedAnswerIsReported(text: String, name: String) throws {
        let json = try JSON(parsing: text)
        #expect(throws: ConsentError.invalidAnswer(name)) { try ConsentAnswers(json) }
    }
}
