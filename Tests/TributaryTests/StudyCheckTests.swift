import FHIR
import Foundation
import TestSupport
import Testing
import TributaryServer

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

    /// A study with a consent, a form and a value set, changed by the test; and what is found in it.
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

    @Test func aStudyThatIsWellHasNoErrors() throws {
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
    func whatIsWrongIsNamedWithItsFileAndPlace(file: String, text: String, code: String, place: String) throws {
        let errors = try findings([file: text]).filter { $0.severity == .error }
        let found = errors.filter { $0.code == code }
        #expect(found.count == 1, "\(errors)")
        #expect(found.first?.place == place)
        #expect(found.first.map { file.hasPrefix($0.file) || $0.file == file } ?? false, "\(found)")
    }

    @Test func doubtfulThingsAreNoErrors() throws {
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
}
