import FHIR
import Foundation
import InformedConsent
import Receiver
import StudyOperations
import TestSupport
import Testing

@testable import StudyFiles

/// Consents in Markdown in a study's folder.
@Suite struct ConsentMarkdownFilesTests {
    private static func text(_ version: String = "1", words: String = "Words", status: String? = nil) -> String {
        """
        ---
        title: A study
        version: \(version)
        url: https://study.example/consent
        health-data: routes
        \(status.map { "status: \($0)" } ?? "# no status")
        ---

        # Welcome {overview file=full}

        \(words)

        """
    }

    private static func contract(_ text: String) throws -> String {
        let contract = try ConsentMarkdown(text.utf8).contract.resource
        return String(decoding: ConsentFiles.bytes(contract), as: UTF8.self)
    }

    /// Passes a study with these files in consent/.
    private func withConsents(_ files: [String: String], _ body: (StudyFolder) throws -> Void) throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let folder = StudyFolder(path: temporary.url.appendingPathComponent("study").path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b"), antispam: "a-secret-word", now: Date())
        for (name, text) in files { try Data(text.utf8).write(to: folder.consentURL.appendingPathComponent(name)) }
        try body(folder)
    }

    /// Returns the findings about the consent.
    private func findings(_ folder: StudyFolder) -> [StudyFinding] {
        StudyCheck(folder).findings().filter { $0.file.hasPrefix("consent/") }
    }

    @Test func aMarkdownFileIsPublishedAsItsContract() throws {
        try withConsents(["consent.md": Self.text(), "full.html": "<p>All</p>", "README.md": "no consent"]) { folder in
            #expect(findings(folder).map(\.code) == ["consent-inclusions"], "\(findings(folder))")
            let template = try #require(folder.consents().first)
            #expect(folder.consents().count == 1)
            #expect(template.canonical == "https://study.example/consent|1")
            #expect(template.htmlFiles == ["full": "<p>All</p>"])
            #expect(folder.includedHealthData() == ["routes"])
            #expect(folder.publishedRecords().map(\.id) == ["published-consent"])
            let library = PublishedLibrary(folder)
            #expect(library.read(type: "Contract", id: "consent", in: .r4) != nil)
            let bundle = PublishedConsents(folder.consents()).bundle
            #expect(bundle.entry.count == 1)
        }
    }

    @Test func aMarkdownFileAndItsContractAreOneVersion() throws {
        let text = Self.text()
        try withConsents(["consent.md": text, "consent.json": Self.contract(text), "full": "<p>All</p>"]) { folder in
            #expect(findings(folder).allSatisfy { $0.severity == .information }, "\(findings(folder))")
            #expect(folder.contracts().map { $0.file.lastPathComponent } == ["consent.json"])
            #expect(folder.consents().count == 1)
        }
    }

    @Test func anotherTextWithTheSameVersionIsAnError() throws {
        try withConsents(["consent.md": Self.text(words: "Other"), "consent.json": Self.contract(Self.text())]) {
            folder in
            #expect(findings(folder).contains { $0.code == "consent-version-repeated" && $0.severity == .error })
        }
    }

    @Test func aVersionThatGoesBackIsAnError() throws {
        let files = ["consent.md": Self.text("1.9"), "consent.json": try Self.contract(Self.text("1.10"))]
        try withConsents(files) { folder in
            let finding = try #require(findings(folder).first { $0.code == "consent-version-backwards" })
            #expect(finding.severity == .error && finding.file == "consent/consent.md" && finding.path == "version")
            #expect(throws: ServerError.self) { try StudyCheck(folder).requireContents() }
        }
        // An earlier version in a file with another name is an ordinary one.
        let kept = ["consent-1.9.md": Self.text("1.9", status: "accepted"), "consent.md": Self.text("1.10")]
        try withConsents(kept) { folder in
            #expect(!findings(folder).contains { $0.severity == .error })
            #expect(folder.consents().count == 2)
        }
    }

    @Test func aMalformedFileIsAnErrorAndNotPublished() throws {
        try withConsents(["consent.md": Self.text() + "\n| a | b |\n", "good.md": Self.text("2")]) { folder in
            let finding = try #require(findings(folder).first { $0.severity == .error })
            #expect(finding.code == "consent-markdown-unsupported")
            #expect(finding.file == "consent/consent.md")
            #expect(finding.message.hasPrefix("Line 13, column 1"))
            #expect(folder.consents().map(\.version) == ["2"])
        }
    }

    @Test func draftsAreIgnored() throws {
        try withConsents(["consent.md.draft": "no consent", "form.json.draft": "{"]) { folder in
            #expect(findings(folder).map(\.code) == ["consent-missing"])
            #expect(folder.consents().isEmpty)
        }
    }

    @Test func aFileIsReadByItsName() throws {
        let text = Self.text()
        let file = URL(fileURLWithPath: "/nowhere/consent")
        let fromMarkdown = try ConsentFiles.template(file: file.appendingPathExtension("md"), data: Data(text.utf8))
        let fromContract = try ConsentFiles.template(
            file: file.appendingPathExtension("json"), data: Data(Self.contract(text).utf8))
        #expect(fromMarkdown.terms == fromContract.terms)
        #expect(throws: ConsentMarkdownError.self) {
            try ConsentFiles.template(file: file.appendingPathExtension("md"), data: Data("{}".utf8))
        }
    }
}
