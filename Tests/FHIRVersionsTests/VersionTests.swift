import FHIR
import Testing

@testable import FHIRVersions

@Suite struct VersionTests {
    @Test(arguments: [
        ("1.0.2", FHIRVersion.dstu2), ("dstu2-1.0.2", .dstu2), ("DSTU2", .dstu2), ("0.9.0", .dstu2),
        ("0.5.0", .dstu2), ("1.4.0", .stu3), ("dstu 3", .stu3), ("STU3", .stu3), ("3.0.0", .stu3),
        ("3.0.1", .stu3), ("3.0.2", .stu3), ("stu3-3.0.2", .stu3), ("1.8.0", .stu3), ("4.0.1", .r4), ("R4", .r4),
        ("4.0", .r4), ("3.5.0", .r4), ("r4-4.0.1", .r4),
    ])
    func aLabelNamesItsRelease(label: String, version: FHIRVersion) {
        #expect(FHIRVersion(label: label) == version)
    }

    @Test(arguments: ["", "x", "5.0.0", "R5", "4.3.0", "."])
    func anUnknownLabelNamesNone(label: String) {
        #expect(FHIRVersion(label: label) == nil)
    }

    @Test(arguments: [
        (#"{"resourceType":"QuestionnaireAnswers"}"#, "3.0.0", FHIRVersion.dstu2),
        (#"{"resourceType":"QuestionnaireResponse","group":{}}"#, "4.0.1", .dstu2),
        (#"{"resourceType":"QuestionnaireResponse","item":[],"questionnaire":{"reference":"q"}}"#, "1.0.2", .stu3),
        (#"{"resourceType":"QuestionnaireResponse","item":[],"questionnaire":"http://q"}"#, "1.0.2", .r4),
        (#"{"resourceType":"Contract","signer":[{"signature":"p"}]}"#, "3.0.0", .dstu2),
        (#"{"resourceType":"Contract","signer":[{"signature":[{"whoReference":{}}]}]}"#, "1.0.2", .stu3),
        (#"{"resourceType":"Contract","instantiatesUri":"u|1"}"#, "1.0.2", .r4),
        (#"{"resourceType":"Patient","id":"p"}"#, "1.0.2", .dstu2),
        (#"{"resourceType":"Patient","id":"p"}"#, "what", .r4),
        (#"{"resourceType":"Observation","valueQuantity":{"units":"cm"}}"#, "4.0.1", .dstu2),
        (#"{"resourceType":"Device","udi":"x"}"#, "4.0.1", .dstu2),
        (#"{"resourceType":"Device","udi":{"name":"x"}}"#, "4.0.1", .stu3),
        (
            #"{"resourceType":"Bundle","entry":[{},{"resource":{"resourceType":"Observation","comments":"c"}}]}"#, "R4",
            .dstu2
        ),
        (#"{"resourceType":"Questionnaire","item":[{"option":[{}]}]}"#, "4.0.1", .stu3),
    ])
    func resourceOverridesItsVersionLabel(text: String, label: String, version: FHIRVersion) throws {
        #expect(FHIRVersion.of(try resource(text), label: label) == version)
    }

    @Test func resourceWithoutAHintHasTheFallbackVersion() throws {
        let patient = try resource(#"{"resourceType":"Patient"}"#)
        #expect(FHIRVersion.of(patient, fallback: .dstu2) == .dstu2)
    }

    @Test(
        arguments: [
            (#"{"resourceType":"Contract","term":[{"text":"t"}]}"#, [.dstu2, .stu3]),
            (#"{"resourceType":"Contract","status":"executable","term":[{"text":"t"}]}"#, [.stu3]),
            (#"{"resourceType":"Contract","url":"http://x","term":[{"text":"t"}]}"#, [.r4]),
            (#"{"resourceType":"Contract","term":[{"offer":{"text":"t"}}]}"#, [.r4]),
            (#"{"resourceType":"Questionnaire","item":[{"linkId":"q"}]}"#, [.stu3, .r4]),
            (#"{"resourceType":"ValueSet","status":"active"}"#, [.dstu2, .stu3, .r4]),
        ] as [(String, Set<FHIRVersion>)])
    func aPublishedResourceIsForTheReadersOfTheReleasesThatItMayBeOf(text: String, releases: Set<FHIRVersion>) throws {
        let published = try resource(text)
        #expect(FHIRVersion.readers(of: published) == releases)
        for label in FHIRVersion.allCases {
            let expected = releases.contains(label) ? [label] : releases
            #expect(FHIRVersion.readers(of: published, label: label) == expected)
        }
    }

    @Test func newerOfTwoEquallyNearReleasesIsPreferred() {
        #expect(FHIRVersion.dstu2.nearest == [.dstu2, .stu3, .r4])
        #expect(FHIRVersion.stu3.nearest == [.stu3, .r4, .dstu2])
        #expect(FHIRVersion.r4.nearest == [.r4, .stu3, .dstu2])
    }

    @Test(arguments: [
        #"{"resourceType":"Questionnaire","status":"active","versionAlgorithmString":"semver"}"#,
        #"{"resourceType":"Questionnaire","status":"active","item":[{"linkId":"q","type":"coding"}]}"#,
        #"{"resourceType":"Questionnaire","item":[{"linkId":"g","type":"group","item":[{"linkId":"q","type":"string","answerConstraint":"optionsOrType"}]}]}"#,
        #"{"resourceType":"Questionnaire","item":[{"linkId":"q","type":"string","disabledDisplay":"hidden"}]}"#,
        #"{"resourceType":"ValueSet","copyrightLabel":"x"}"#,
    ])
    func aFormOfR5IsKnown(text: String) throws {
        #expect(NewerRelease(of: try resource(text)) == .r5)
        #expect(NewerRelease(of: try resource(text))?.message.contains("R5") == true)
    }

    @Test(arguments: [
        #"{"resourceType":"Questionnaire","status":"active","item":[{"linkId":"q","type":"choice","extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.answerConstraint","valueCode":"optionsOrType"}]}]}"#,
        #"{"resourceType":"Questionnaire","status":"published","group":{"linkId":"g"}}"#,
        #"{"resourceType":"Patient","item":[{"type":"coding"}]}"#,
    ])
    func anotherFormIsNotOfR5(text: String) throws {
        #expect(NewerRelease(of: try resource(text)) == nil)
    }

    /// C3-PRO's slider: extensions that HL7 had in DSTU2, in a form of STU3's items.
    @Test(arguments: ["questionnaire-defaultValue", "questionnaire-instruction"])
    func extensionsOfDSTU2ShowAnOlderRelease(name: String) throws {
        func form(_ more: String) throws -> Resource {
            try resource(
                #"{"resourceType":"Questionnaire","item":[{"linkId":"g","type":"group","item":[{"linkId":"q","type":"integer","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/\#(name)","valueInteger":8}]}]}\#(more)]}"#
            )
        }
        #expect(FHIRVersion.of(try form("")) == .stu3)
        // Elements that only R4 has are stronger evidence.
        let r4 = #",{"linkId":"c","type":"choice","answerOption":[{"valueCoding":{"code":"a"}}]}"#
        #expect(FHIRVersion.of(try form(r4)) == .r4)
    }
}
