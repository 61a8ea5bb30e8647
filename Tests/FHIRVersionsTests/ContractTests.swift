import FHIR
import Testing

@testable import FHIRVersions

/// Contracts as C3-PRO's apps of 2015 to 2017 wrote them.
@Suite struct ContractTests {
    static let signer = """
        {"type":{"system":"http://hl7.org/fhir/vs/contract-signer-type","code":"1.2.840.10065.1.12.1.7",
         "display":"Consent"},"party":{"reference":"Patient/702dd39e-0000-4000-8000-000000000001"},
         "signature":"702dd39e-0000-4000-8000-000000000001"}
        """
    static let arraySigner = """
        {"type":[{"system":"http://hl7.org/fhir/ValueSet/contract-signer-type","code":"CONSENTER",
         "display":"consenter"}],"party":{"reference":"Patient/p-1"},"signature":"p-1",
         "extension":[{"url":"http://fhir-registry.smarthealthit.org/StructureDefinition/consents-to-data-sharing",
         "valueBoolean":true}]}
        """

    static func contract(signer: String, applies: String = "2015-09-08T14:02:11.4849-04:00") -> String {
        """
        {"resourceType":"Contract","id":"c-1","identifier":{"system":"urn:study","value":"7"},
         "contained":[
          {"resourceType":"Organization","id":"org","name":"Research team","type":{"text":"team"}},
          {"resourceType":"Group","id":"eligibility","type":"person","actual":false,"characteristic":[
           {"code":{"text":"Are you over 18 years of age?"},"exclude":false},
           {"code":{"text":"Are you pregnant?"},"valueBoolean":true,"exclude":true}]}],
         "issued":"2015-02-18","applies":{"start":"\(applies)"},
         "type":{"coding":[{"system":"http://hl7.org/fhir/contracttypecodes","code":"consent"}]},
         "authority":[{"reference":"#org"}],"subject":[{"reference":"#eligibility"}],
         "actor":[{"entity":{"reference":"#org"},"role":[{"text":"sponsor"}]}],
         "term":[{"type":{"coding":[{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType",
          "code":"Overview"}]},"text":"What this is about",
          "extension":[{"url":"http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection",
          "extension":[{"url":"title","valueString":"Welcome"},{"url":"htmlContent","valueString":"<p>Hi</p>"}]}]}],
         "signer":[\(signer)],
         "bindingAttachment":{"contentType":"text/html","url":"urn:doc"}}
        """
    }

    @Test(arguments: [signer, arraySigner])
    func bothShapesOfTheSignerTypeBecomeOneCoding(signer: String) throws {
        let result = try converted(ContractTests.contract(signer: signer))
        #expect(StructureCheck.problems(result.resource) == [])
        let type = try #require(result.resource.json.path("signer.0.type")?.object)
        #expect(type["code"]?.string != nil)
    }

    @Test func theTextSignatureBecomesASignatureOfThePartyWithTheTimeOfConsent() throws {
        let json = try converted(ContractTests.contract(signer: ContractTests.signer)).resource.json
        #expect(json.path("signer.0.signature.0.when")?.string == "2015-09-08T14:02:11.4849-04:00")
        #expect(
            json.path("signer.0.signature.0.who.reference")?.string == "Patient/702dd39e-0000-4000-8000-000000000001")
        #expect(json.path("signer.0.signature.0.type.0.code")?.string == "1.2.840.10065.1.12.1.7")
        #expect(
            json.path("signer.0.extension.0")
                == [
                    "url": "http://hl7.org/fhir/1.0/StructureDefinition/extension-Contract.signer.signature",
                    "valueString": "702dd39e-0000-4000-8000-000000000001",
                ])
        #expect(json["status"]?.string == "executed")
    }

    @Test func theSharingChoiceAndTheSectionsStay() throws {
        let json = try converted(ContractTests.contract(signer: ContractTests.arraySigner)).resource.json
        #expect(json.path("signer.0.extension.0.valueBoolean")?.bool == true)
        #expect(json.path("term.0.extension.0.extension.1.valueString")?.string == "<p>Hi</p>")
        #expect(json.path("term.0.text")?.string == "What this is about")
        #expect(json.path("term.0.offer.text")?.string == "What this is about")
    }

    @Test func theContainedGroupAndOrganizationAreConvertedToo() throws {
        let json = try converted(ContractTests.contract(signer: ContractTests.signer)).resource.json
        #expect(json.path("contained.0.type.0.text")?.string == "team")
        #expect(json.path("contained.1.characteristic.0.valueBoolean")?.bool == true)
        #expect(json.path("contained.1.characteristic.1.exclude")?.bool == true)
    }

    @Test func elementsWithoutAnR4EquivalentBecomeCrossVersionExtensions() throws {
        let result = try converted(ContractTests.contract(signer: ContractTests.signer))
        let actor = try #require(
            result.resource.extension("http://hl7.org/fhir/1.0/StructureDefinition/extension-Contract.actor"))
        #expect(actor.extension.map(\.url) == ["entity", "role"])
        #expect(actor.extension.first?.value?.json["reference"]?.string == "#org")
        #expect(
            result.notes.contains(
                ConversionNote(.keptInExtension, path: "Contract.actor", location: "Contract.actor[0]")))
        #expect(result.resource.object["legallyBindingAttachment"]?["url"]?.string == "urn:doc")
    }

    @Test(arguments: [
        ("2015-09-08", "2015-09-08T00:00:00Z"), ("2015-09-08T14:02:11.48", "2015-09-08T14:02:11.48Z"),
        ("2015-09-08T14:02:11+0200", "2015-09-08T14:02:11+02:00"), ("nonsense", "2015-02-18T00:00:00Z"),
    ])
    func theTimeOfTheSignatureComesFromTheContract(start: String, when: String) throws {
        let json = try converted(ContractTests.contract(signer: ContractTests.signer, applies: start)).resource.json
        #expect(json.path("signer.0.signature.0.when")?.string == when)
    }

    @Test func signatureWithoutATimeIsMarkedAsUnknown() throws {
        let result = try converted(
            #"{"resourceType":"Contract","signer":[{"type":{"code":"CONSENTER"},"signature":"p-1"}]}"#)
        let json = result.resource.json
        #expect(json.path("signer.0.signature.0._when.extension.0.valueCode")?.string == "unknown")
        #expect(json.path("signer.0.party.reference")?.string == "Patient/p-1")
        #expect(StructureCheck.problems(result.resource) == [])
    }

    @Test func theSignatureOfSTU3GetsR4sNames() throws {
        let result = try converted(
            """
            {"resourceType":"Contract","subject":[{"reference":"#e"}],
             "topic":[{"reference":"Group/a"},{"reference":"Group/b"}],
             "agent":[{"actor":{"reference":"Patient/p"},"role":[{"text":"x"}]}],
             "signer":[{"type":{"system":"http://hl7.org/fhir/ValueSet/contract-signer-type","code":"CONSENTER"},
              "party":{"reference":"Patient/p"},"signature":[{"type":[{"system":
              "http://hl7.org/fhir/ValueSet/signature-type","code":"1.2.840.10065.1.12.1.7"}],
              "when":"2017-03-01T10:00:00Z","whoReference":{"reference":"Patient/p"},"contentType":"image/png",
              "blob":"AAAA"}]}]}
            """, .stu3)
        let json = result.resource.json
        #expect(StructureCheck.problems(result.resource) == [])
        #expect(json.path("signer.0.signature.0.who.reference")?.string == "Patient/p")
        #expect(json.path("signer.0.signature.0.sigFormat")?.string == "image/png")
        #expect(json.path("signer.0.signature.0.data")?.string == "AAAA")
        #expect(json["topicReference"]?["reference"]?.string == "Group/a")
        let urls = result.resource.extension.compactMap(\.url)
        #expect(
            urls == [
                "http://hl7.org/fhir/3.0/StructureDefinition/extension-Contract.topic",
                "http://hl7.org/fhir/3.0/StructureDefinition/extension-Contract.agent",
            ])
    }
}
