import Attachments
import FHIR
import Foundation
import Testing

@testable import InformedConsent

@Suite struct IdentifyingDataTests {
    private func rule(_ day: String = "2026-03-01", asIs: Set<String> = []) throws -> IdentifyingData {
        IdentifyingData(today: try #require(DateTime(day)), attachments: AttachmentCleaning(asIs: asIs))
    }

    private func resource(_ text: String) throws -> Resource { try Resource(Data(text.utf8)) }

    private func patient(_ members: String) throws -> Resource {
        try resource(#"{"resourceType":"Patient","id":"p1","gender":"female",\#(members)}"#)
    }

    /// Identifying members of a Patient, their paths, and the remaining members.
    static let identifying: [(members: String, paths: [String], left: String)] = [
        (#""name":[{"family":"Muster"}]"#, ["name"], ""), (#""telecom":[{"value":"555"}]"#, ["telecom"], ""),
        (#""photo":[{"contentType":"image/png"}]"#, ["photo"], ""),
        (#""contact":[{"name":{"text":"Muster"}}]"#, ["contact"], ""),
        (#""text":{"status":"generated","div":"<div>Muster</div>"}"#, ["text"], ""),
        (#""birthDate":"1990-02-03""#, ["birthDate"], #","birthDate":"1990""#),
        (#""birthDate":"1990-02""#, ["birthDate"], #","birthDate":"1990""#),
        (#""birthDate":"3.2.1990""#, ["birthDate"], ""),
        (
            #""birthDate":"1990","_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"1990-02-03T04:05:06Z"}]}"#,
            ["birthDate"], #","birthDate":"1990""#
        ),
        (
            #""birthDate":"1936""#, ["birthDate"],
            #","_birthDate":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]},"extension":[{"url":"urn:tributary:age-90-or-older","valueBoolean":true}]"#
        ),
        (#""deceasedDateTime":"2025-02-03""#, ["deceasedDateTime"], #","deceasedDateTime":"2025""#),
        (
            #""address":[{"line":["Street 1"],"city":"Boston","district":"Suffolk","text":"Street 1","state":"MA","postalCode":"02139","country":"US"}]"#,
            ["address.line", "address.city", "address.district", "address.text", "address.postalCode"],
            #","address":[{"state":"MA","postalCode":"021","country":"US"}]"#
        ),
        (#""address":[{"postalCode":"036"}]"#, ["address.postalCode"], #","address":[{"postalCode":"000"}]"#),
        (
            #""address":[{"postalCode":"8001","country":"CH"}]"#, ["address.postalCode"],
            #","address":[{"country":"CH"}]"#
        ),
        (#""address":[{"city":"Boston"}]"#, ["address.city"], ""),
        (
            #""identifier":[{"value":"Anna Muster"},{"value":"p-17"}]"#, ["identifier"],
            #","identifier":[{"value":"p-17"}]"#
        ),
        (#""identifier":[{"value":"anna@example.org"}]"#, ["identifier"], ""),
        (#""identifier":[{"value":"078-05-1120"}]"#, ["identifier"], ""),
        (#""identifier":[{"value":"+1 617 555-1234"}]"#, ["identifier"], ""),
        (#""identifier":[{"system":"http://hl7.org/fhir/sid/us-ssn","value":"x"}]"#, ["identifier"], ""),
        (#""identifier":[{"type":{"coding":[{"code":"MR"}]},"value":"x7"}]"#, ["identifier"], ""),
        (
            #""extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName","valueString":"Muster"}]"#,
            ["extension"], ""
        ),
        (#""extension":[{"url":"urn:x","extension":[{"url":"y","valueHumanName":{"text":"M"}}]}]"#, ["extension"], ""),
    ]

    @Test(arguments: identifying.indices)
    func identifyingElementsOfAPatientAreRemovedAndNamed(index: Int) throws {
        let (members, paths, left) = Self.identifying[index]
        let given = try patient(members)
        let reduction = try rule().reduce(given)
        #expect(reduction.reduced == paths.map { "Patient." + $0 })
        #expect(reduction.remaining.isEmpty)
        var object = reduction.resource.object
        let security = object["meta"]?["security"]?.array
        #expect(security == [IdentifyingData.mark.json])
        object["meta"] = nil
        let wanted = try resource(#"{"resourceType":"Patient","id":"p1","gender":"female"\#(left)}"#)
        #expect(Set(object.members) == Set(wanted.object.members))
        // A reduced resource contains no identifying data.
        #expect(try rule().reduce(reduction.resource).isEmpty)
        let error = #expect(throws: IdentifyingDataError.self) {
            try IdentifyingDataHandling.quarantine.admit(given, by: try rule())
        }
        #expect(error?.code == "identifying-data")
        for path in paths { #expect(error?.message.contains("Patient." + path) == true) }
        for value in ["Muster", "Anna", "anna", "Street", "Boston", "1990", "1936", "02139", "8001", "078", "617"] {
            #expect(error?.message.contains(value) == false)
        }
        let accepted = try IdentifyingDataHandling.accept.admit(given, by: try rule())
        #expect(accepted.resource == given && !accepted.isReduced)
        #expect(try IdentifyingDataHandling.reduce.admit(given, by: try rule()).isReduced)
    }

    @Test(arguments: [
        #""birthDate":"1990""#, #""birthDate":"1937""#,
        #""address":[{"use":"home","state":"MA","postalCode":"021","country":"US"}]"#,
        #""address":[{"postalCode":"000"}]"#, #""address":[{"state":"ZH","country":"CH"}]"#,
        #""identifier":[{"system":"urn:ietf:rfc:3986","value":"urn:uuid:5b1d9a58-1111-2222-3333-444455556666"}]"#,
        #""identifier":[{"system":"https://example.org/participants","value":"p-0017"},{"value":"4711"}]"#,
        #""extension":[{"url":"urn:tributary:age-90-or-older","valueBoolean":true}]"#,
        #""deceasedBoolean":true"#,
        #""maritalStatus":{"text":"married"},"communication":[{"language":{"text":"German"}}]"#,
    ])
    func permittedElementsStay(members: String) throws {
        let given = try patient(members)
        let reduction = try rule().reduce(given)
        #expect(reduction.isEmpty && reduction.resource == given)
    }

    @Test func patientOfADeviceIsAcceptedByTheServer() throws {
        let day = try #require(DateTime.init("2026-03-01"))
        for (birth, code, country) in [
            ("1990-02-02", "02139", "US"), ("1931-07-19", "03601", "USA"), ("1990", "8001", "Switzerland"),
            ("1937-12-31", "x", "United States"),
        ] {
            let facts = PersonFacts(
                birthDate: DateTime(birth), gender: "female", postalCode: code, state: "MA", country: country)
            let patient = Pseudonymization().patient(id: "p", facts: facts, today: day)
            #expect(try rule().reduce(patient.resource).isEmpty, "\(birth)")
        }
    }

    @Test func ageIsCountedOnTheDayOfReceipt() throws {
        let given = try patient(#""birthDate":"1937""#)
        #expect(try rule("2026-12-31").reduce(given).isEmpty)
        #expect(try rule("2027-01-01").reduce(given).reduced == ["Patient.birthDate"])
    }

    @Test func containedPersonsAreReducedAndStaffIsNot() throws {
        let given = try resource(
            """
            {"resourceType":"QuestionnaireResponse","status":"completed","contained":[
             {"resourceType":"Patient","id":"a","name":[{"text":"Anna Muster"}]},
             {"resourceType":"RelatedPerson","id":"b","telecom":[{"value":"555"}],"birthDate":"1960-01-02"},
             {"resourceType":"Practitioner","id":"c","name":[{"text":"Dr. Who"}]},
             {"resourceType":"Organization","id":"d","name":"Team"}],
             "item":[{"linkId":"q","answer":[{"valueString":"I am Anna Muster, 02139"}]}]}
            """)
        let reduction = try rule().reduce(given)
        let root = "QuestionnaireResponse.contained"
        #expect(reduction.reduced == ["\(root)[0].name", "\(root)[1].telecom", "\(root)[1].birthDate"])
        let text = reduction.resource.json.text()
        #expect(text.contains("Dr. Who") && text.contains("I am Anna Muster") && !text.contains("555"))
    }

    @Test func displayOfAReferenceToAPersonIsRemoved() throws {
        let given = try resource(
            """
            {"resourceType":"Observation","subject":{"reference":"Patient/p1","display":"Anna Muster"},
             "performer":[{"reference":"Practitioner/x","display":"Dr. Who"},{"type":"RelatedPerson","display":"Bob"}]}
            """)
        let reduction = try rule().reduce(given)
        #expect(reduction.reduced == ["Observation.subject.display", "Observation.performer[1].display"])
        #expect(reduction.resource.json.text().contains("Dr. Who"))
    }

    @Test func aContractHasNeitherNameNorPictureOfASignature() throws {
        let given = try resource(
            """
            {"resourceType":"Contract","author":{"reference":"Organization/o","display":"Team"},"signer":[{
             "extension":[{"url":"http://hl7.org/fhir/1.0/StructureDefinition/extension-Contract.signer.signature",
             "valueString":"Anna Muster"},{"url":"urn:other","valueBoolean":true}],
             "party":{"reference":"Patient/p1","display":"Anna"},"signature":[{"who":{"display":"Anna"},
             "sigFormat":"image/png","data":"iVBORw0KGgo="}]}]}
            """)
        let reduction = try rule().reduce(given)
        #expect(
            reduction.reduced == [
                "Contract.signer[0].extension", "Contract.signer[0].party.display",
                "Contract.signer[0].signature[0].data", "Contract.signer[0].signature[0].who.display",
            ])
        let text = reduction.resource.json.text()
        #expect(text.contains("Team") && text.contains("urn:other") && !text.contains("Anna"))
        // The signature of a key, and the id with which C3-PRO's apps sign, are not names.
        let other = try resource(
            """
            {"resourceType":"Contract","signer":[{"extension":[{"valueString":"5b1d9a58-1111-2222-3333-444455556666",
             "url":"http://hl7.org/fhir/1.0/StructureDefinition/extension-Contract.signer.signature"}],
             "signature":[{"sigFormat":"application/jose","data":"\(Data("e30.e30.AAAA".utf8).base64EncodedString())"}]}]}
            """)
        #expect(try rule().reduce(other).isEmpty)
        let liar = try resource(
            """
            {"resourceType":"Contract","signer":[{"signature":[{"sigFormat":"application/jose","data":"iVBORw0KGgo="}]}]}
            """)
        #expect(try rule().reduce(liar).reduced == ["Contract.signer[0].signature[0].data"])
    }

    @Test func resourceThatCannotBeReducedIsNotStored() throws {
        let given = try resource(
            """
            {"resourceType":"QuestionnaireResponse","status":"completed","subject":{"reference":"Patient/p1","display":"A"},
             "item":[{"linkId":"report","answer":[{"valueAttachment":{"data":"JVBERi0xLjc="}}]}]}
            """)
        let error = #expect(throws: IdentifyingDataError.self) {
            try IdentifyingDataHandling.reduce.admit(given, by: try rule())
        }
        #expect(error?.message.contains("valueAttachment.data (attachment-not-cleanable)") == true)
        let taken = try IdentifyingDataHandling.reduce.admit(given, by: try rule(asIs: ["report"]))
        #expect(taken.isReduced && taken.resource.json.text().contains("JVBERi0xLjc="))
    }

    @Test func pathOfAFindingContainsOnlyNamesOfFHIR() throws {
        let given = try resource(
            #"{"resourceType":"Observation","AnnaMuster":{"reference":"Patient/p1","display":"Anna"}}"#)
        #expect(try rule().reduce(given).reduced == ["Observation.display"])
    }
}
