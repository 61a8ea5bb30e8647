import FHIR
import Foundation
import RecordStorage
import StudyOperations
import TestSupport
import Testing

@testable import StudyFiles

@Suite struct StudyCheckTests {
    private static let contract = """
        {"resourceType":"Contract","url":"https://study.example/consent","version":"1","status":"executable","term":[{"type":{\
        "coding":[{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType","code":"Overview"}]},"text":"Words",\
        "offer":{"text":"Words"}}]}
        """
    private static let form = """
        {"resourceType":"Questionnaire","url":"https://study.example/f","version":"1","status":"active","item":[{\
        "linkId":"q","text":"Q","type":"choice","answerValueSet":"ValueSet/v"}]}
        """
    private static let set = """
        {"resourceType":"ValueSet","id":"v","status":"active","compose":{"include":[{"system":"https://study.example/s",\
        "concept":[{"code":"a"}]}]}}
        """

    /// Returns the findings for a study with a consent, a form and a value set, changed by the test.
    private func findings(_ changes: [String: String?] = [:]) throws -> [StudyFinding] {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        let study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b")
        try folder.make(study, antispam: "a-secret-word", now: Date())
        let files = [
            "consent/contract.json": Self.contract, "questionnaires/form.json": Self.form,
            "questionnaires/set.json": Self.set,
        ].merging(changes) { $1 }
        for (name, text) in files {
            guard let text else { continue }
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return StudyCheck(folder).findings()
    }

    @Test func validStudyHasNoErrors() throws {
        let findings = try findings()
        #expect(findings.map(\.code) == ["receipt-roots-missing"], "\(findings)")
    }

    @Test(arguments: [
        ("study.json", "{", "study-invalid", ""),
        ("study.json", #"{"id":"s","title":"S","bundleIdentifier":"b","c3pr0":true}"#, "member-unknown", "c3pr0"),
        (
            "study.json", #"{"id":"s","title":"S","bundleIdentifier":"b","limits":{"bytes":1}}"#, "member-unknown",
            "limits.bytes"
        ),
        (
            "study.json", #"{"id":"s","title":"S","bundleIdentifier":"b","fhirBlocks":{"v1":true}}"#, "member-unknown",
            "fhirBlocks.v1"
        ),
        ("questionnaires/broken.json", "{\"resourceType\":", "file-unreadable", ""),
        ("questionnaires/form.json", "no JSON", "file-unreadable", ""),
        ("questionnaires/x.json", #"{"resourceType":"Patient"}"#, "resource-type-unexpected", ""),
        ("questionnaires/form2.json", form, "form-version-repeated", "version"),
        (
            "questionnaires/form.json",
            form.replacingOccurrences(of: #""type":"choice""#, with: #""type":"choise""#), "item-type-unknown", "q"
        ),
        (
            "questionnaires/form.json",
            #"{"resourceType":"Questionnaire","status":"active","item":[{"linkId":"q","type":"integer"}]}"#,
            "form-without-name", ""
        ),
        ("consent/contract2.json", contract, "consent-version-repeated", "version"),
        (
            "consent/contract.json", contract.replacingOccurrences(of: "Overview", with: "Overwiev"),
            "consent-contract-has-no-sections", ""
        ),
        (
            "consent/contract.json",
            contract.replacingOccurrences(
                of: #""url""#,
                with: #""extension":[{"url":"urn:tributary:consent-status","valueCode":"old"}],"url""#),
            "consent-code-unknown", "urn:tributary:consent-status"
        ),
        (
            "consent/contract.json",
            contract.replacingOccurrences(
                of: #""url""#,
                with: #""extension":[{"url":"urn:tributary:consent-status","valueCode":"retired"}],"url""#),
            "consent-not-current", ""
        ),
        (
            "consent/contract.json",
            contract.replacingOccurrences(
                of: #""url""#,
                with: #""extension":[{"url":"urn:tributary:includes-health-data","valueCode":"routs"}],"url""#),
            "consent-inclusion-unknown", "urn:tributary:includes-health-data"
        ),
        ("health-types.json", "[", "study-invalid", ""),
        ("profiles/p.json", #"{"resourceType":"StructureDefinition"}"#, "profile-unreadable", ""),
        ("jwks.json", "{}", "keys-unreadable", ""),
    ])
    func errorsAreNamedWithTheirFileAndPath(file: String, text: String, code: String, path: String) throws {
        let errors = try findings([file: text]).filter { $0.severity == .error }
        let found = errors.filter { $0.code == code }
        #expect(found.count == 1, "\(errors)")
        #expect(found.first?.path == path)
        #expect(found.first.map { file.hasPrefix($0.file) || $0.file == file } ?? false, "\(found)")
    }

    @Test func warningsAreNotErrors() throws {
        let named = Self.contract.replacingOccurrences(
            of: #""text":"Words","offer""#,
            with:
                #""extension":[{"url":"http://fhir-registry.smarthealthit.org/StructureDefinition/ORKConsentSection","#
                + #""extension":[{"url":"htmlContentFile","valueString":"long"}]}],"text":"Words","offer""#)
        let missing = try findings(["consent/contract.json": named])
        #expect(missing.contains { $0.code == "consent-file-missing" && $0.severity == .warning })
        let there = try findings(["consent/contract.json": named, "consent/long.html": "<p>All</p>"])
        #expect(!there.contains { $0.code == "consent-file-missing" })
        let withoutSet = try findings(["questionnaires/set.json": nil as String?])
        #expect(!withoutSet.contains { $0.severity == .error }, "\(withoutSet)")
    }

    @Test func aFormOfAnOlderReleaseIsReadAsR4() throws {
        let old = """
            {"resourceType":"Questionnaire","id":"old","status":"published","group":{"linkId":"g","question":[{"linkId":"q",\
            "text":"Q","type":"integer"}]}}
            """
        let findings = try findings(["questionnaires/old.json": old])
        #expect(
            findings.filter { $0.file == "questionnaires/old.json" }.map(\.code) == ["older-release"], "\(findings)")
    }

    /// Each missing element is named with its file and path.
    @Test(arguments: [
        (
            #""linkId":"q","text":"Q","type":"string","enableWhen":[{"question":"gone","operator":"exists","answerBoolean":true}]"#,
            "condition-question-unknown", "q", "\"gone\""
        ),
        (
            #""linkId":"q","text":"Q","type":"choice","answerOption":[{"valueString":"never"},{"valueString":"often"}]"#,
            "option-without-concept", "q", "\"never\", \"often\""
        ),
        (
            #""linkId":"q","text":"Q","type":"choice","answerOption":[{"valueCoding":{"code":"a1"}}]"#,
            "coding-without-system", "q", "\"a1\""
        ),
        (#""linkId":"q","text":"Q","type":"string","code":[{"code":"own"}]"#, "coding-without-system", "q", "\"own\""),
        (
            #""linkId":"q","text":"Q","type":"quantity","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":5}]"#,
            "limit-without-unit", "q", "unit"
        ),
        (
            #""linkId":"q","text":"Q","type":"string","extension":[{"url":"http://hl7.org/fhir/StructureDefinition/regex","valueString":"/^a$/"}]"#,
            "regex-javascript", "q", "JavaScript"
        ),
        (
            #""linkId":"q","text":"Q","type":"display","extension":[{"url":"http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-subQuestionnaire","valueCanonical":"https://study.example/part|1"}]"#,
            "sub-questionnaire-not-assembled", "q", "https://study.example/part|1"
        ),
    ])
    func missingElementsOfAFormAreNamed(item: String, code: String, path: String, name: String) throws {
        let form =
            #"{"resourceType":"Questionnaire","url":"https://study.example/g","version":"1","status":"active","item":[{\#(item)}]}"#
        let found = try findings(["questionnaires/g.json": form]).filter { $0.code == code }
        #expect(found.count == 1 && found.first?.file == "questionnaires/g.json")
        #expect(found.first?.path == path && found.first?.message.contains(name) == true, "\(found)")
    }

    @Test func formWithoutURLOrVersionIsReported() throws {
        let bare =
            #"{"resourceType":"Questionnaire","id":"g","status":"active","item":[{"linkId":"q","text":"Q","type":"string"}]}"#
        let found = try findings(["questionnaires/g.json": bare]).filter { $0.file == "questionnaires/g.json" }
        #expect(found.map(\.code) == ["form-without-url", "form-without-version"])
        #expect(found.map(\.path) == ["url", "version"] && found.allSatisfy { $0.severity == .warning })
        // A form that also exists in DSTU2, which has no url, is named by its id in every release.
        let older =
            #"{"resourceType":"Questionnaire","id":"g","version":"1","status":"published","group":{"linkId":"q"}}"#
        let both = try findings([
            "questionnaires/g.json": bare.replacingOccurrences(of: #""status""#, with: #""version":"1","status""#),
            "questionnaires/g.dstu2.json": older,
        ])
        #expect(!both.contains { $0.code.hasPrefix("form-without") }, "\(both)")
    }

    @Test func unreadFilesAreReported() throws {
        let found = try findings([
            "consent/consent.pdf": "%PDF", "consent/contract.xml": "<Contract/>", "consent/.hidden": "x",
            "questionnaires/form.json.answers": "{}", "questionnaires/form.xml": "<x/>",
        ])
        #expect(
            Dictionary(grouping: found.filter { ["file-not-read", "survey-unfinished"].contains($0.code) }, by: \.code)
                .mapValues { $0.map(\.file).sorted() } == [
                    "file-not-read": ["consent/consent.pdf", "consent/contract.xml", "questionnaires/form.xml"],
                    "survey-unfinished": ["questionnaires/form.json.answers"],
                ])
        #expect(!found.contains { $0.severity == .error })
        let broken = try findings(["consent/other.json": "no JSON"]).filter { $0.severity == .error }
        #expect(broken.map(\.code) == ["file-unreadable"] && broken.first?.file == "consent/other.json")
    }

    @Test func formOfR5IsReported() throws {
        let form =
            #"{"resourceType":"Questionnaire","url":"https://study.example/r5","status":"active","item":[{"linkId":"q","type":"coding","answerConstraint":"optionsOnly"}]}"#
        let found = try findings(["questionnaires/r5.json": form]).filter { $0.file == "questionnaires/r5.json" }
        #expect(found.map(\.code) == ["release-unsupported"] && found[0].message.contains("R5"))
    }

    /// A slider as C3-PRO wrote it, in a file without a release in its name.
    @Test func sliderOfC3PROIsAccepted() throws {
        let slider = """
            {"resourceType":"Questionnaire","id":"slider","version":"1","url":"https://study.example/slider","status":"active",\
            "item":[{"linkId":"s","type":"integer","text":"Liking","extension":[\
            {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueString":"Not at all"},\
            {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueInteger":0},\
            {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":10},\
            {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueString":"Very much"},\
            {"url":"http://hl7.org/fhir/StructureDefinition/questionnaire-defaultValue","valueInteger":8}]}]}
            """
        let found = try findings(["questionnaires/slider.json": slider]).filter {
            $0.file == "questionnaires/slider.json"
        }
        #expect(found.map(\.code) == ["older-release"], "\(found)")
    }

    @Test func formsWithTheSameNameAndVersionAreReported() throws {
        let other = Self.form.replacingOccurrences(of: #""text":"Q""#, with: #""text":"Other""#)
        let found = try findings(["questionnaires/form2.json": other]).filter { $0.code == "form-version-repeated" }
        #expect(found.count == 1 && found[0].severity == .error && found[0].message.contains("form.json"))
    }

    @Test func formChangedWithoutANewVersionIsReported() async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b"), antispam: "a-secret-word", now: Date())
        let file = folder.url.appendingPathComponent("questionnaires/form.json")
        let stores = try StudyStores(folder)
        _ = try await stores.migrate()
        for (text, expected) in [
            (Self.form, [String]()),
            (Self.form.replacingOccurrences(of: #""text":"Q""#, with: #""text":"R""#), ["version"]),
            (Self.form.replacingOccurrences(of: #""version":"1""#, with: #""version":"2""#), []),
        ] {
            try Data(text.utf8).write(to: file)
            let found = try await stores.withRecords { records in
                try await RecordPublishing(database: records, clock: { Date() }).publish(folder.publishedRecords())
                return try await StudyCheck(folder).recordFindings(records)
            }
            #expect(found.map(\.path) == expected, "\(found)")
            #expect(found.allSatisfy { $0.code == "form-changed-without-version" })
        }
    }
}
