import FHIR
import Foundation
import InformedConsent
import StudyOperations
import TestSupport
import Testing

@testable import StudyFiles

/// The contents with which a study begins.
@Suite struct StudyContentsTests {
    private let temporary: TemporaryFolder
    private var root: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    private func make(_ name: String, _ contents: StudyContents) async throws -> StudyFolder {
        let folder = StudyFolder(path: root.appendingPathComponent(name).path)
        let study = StudyConfiguration(id: "s", title: "S", bundleIdentifier: "b", development: true)
        try await StudyMaking(folder, study, contents: contents).run(antispam: "a-secret-word", now: Date())
        return folder
    }

    private func write(_ text: String, to path: String) throws {
        let file = root.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func names(_ path: String) -> [String] {
        (FileManager.default.enumerator(atPath: root.appendingPathComponent(path).path)?.compactMap { $0 as? String }
            ?? [])
            .sorted()
    }

    private static let form = """
        {"resourceType":"Questionnaire","url":"https://study.example/f","version":"1","status":"active","item":[{\
        "linkId":"q","text":"Q","type":"string","code":[{"system":"https://study.example/s","code":"q"}]}]}
        """

    @Test func theExampleStudyWorksAtOnce() async throws {
        defer { temporary.remove() }
        let folder = try await make("study", .example)
        let findings = StudyCheck(folder).findings()
        #expect(!findings.contains { $0.severity == .error }, "\(findings)")
        #expect(folder.consents().map(\.title) == ["Sleep and Mood Study"])
        #expect(folder.questionnaires().count == 2)
        #expect(try folder.healthSync().types?.count == 3)
    }

    /// The files of the example are those of the repository, byte for byte.
    @Test func theExampleStudyIsThatOfTheRepository() throws {
        defer { temporary.remove() }
        let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/study")
        #expect(StudyContents.example.files.count == 7)
        for file in StudyContents.example.files {
            #expect(try Data(contentsOf: examples.appendingPathComponent(file.path)) == file.data, "\(file.path)")
        }
    }

    @Test func aStudyBeginsWithDraftsThatTheServerIgnores() async throws {
        defer { temporary.remove() }
        let folder = try await make("study", .starting)
        let findings = StudyCheck(folder).findings()
        #expect(!findings.contains { $0.severity == .error || $0.code == "file-not-read" }, "\(findings)")
        #expect(folder.consents().isEmpty && folder.questionnaires().isEmpty)
        // A draft is valid when it is renamed.
        for name in ["consent/consent.md", "questionnaires/first-form.json", "health-sync.json"] {
            let file = folder.url.appendingPathComponent(name)
            try FileManager.default.moveItem(at: file.appendingPathExtension("draft"), to: file)
        }
        let renamed = StudyCheck(folder).findings()
        #expect(!renamed.contains { $0.severity == .error }, "\(renamed)")
        #expect(folder.consents().first?.sections.map(\.kind).count == 6)
        #expect(folder.questionnaires().count == 1)
    }

    @Test func aStudyBeginsWithTheFilesOfAFolder() async throws {
        defer { temporary.remove() }
        try write(Self.form, to: "source/questionnaires/f.json")
        try write("---\ntitle: T\n---\n# Privacy {file=full}\n\nWords\n", to: "source/consent/c.md")
        try write("<p>All</p>", to: "source/consent/HTMLContent/full.html")
        try write("secret", to: "source/keys/root.pem")
        let folder = try await make("study", try StudyContents(of: root.appendingPathComponent("source")))
        #expect(folder.consents().first?.htmlFiles == ["full": "<p>All</p>"])
        #expect(folder.questionnaires().count == 1)
        #expect(try Data(contentsOf: folder.keys.url.appendingPathComponent("root.pem")) != Data("secret".utf8))
    }

    @Test func aFolderWithAnErrorLeavesNoStudy() async throws {
        defer { temporary.remove() }
        try write("{", to: "source/questionnaires/f.json")
        let contents = try StudyContents(of: root.appendingPathComponent("source"))
        let error = await #expect(throws: ServerError.self) { try await make("made/study", contents) }
        #expect(error?.code == "study-check-failed")
        #expect(names("made") == [])
        #expect(!FileManager.default.fileExists(atPath: root.appendingPathComponent("made").path))
        // Folders that were there stay as they were.
        try write("mine", to: "kept/note")
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("kept/consent"), withIntermediateDirectories: true)
        await #expect(throws: ServerError.self) { try await make("kept", contents) }
        #expect(names("kept") == ["consent", "note"])
    }

    @Test func contentsDoNotMixWithFilesThatAreThere() async throws {
        defer { temporary.remove() }
        try write(Self.form, to: "study/questionnaires/f.json")
        let error = await #expect(throws: ServerError.self) { try await make("study", .example) }
        #expect(error?.code == "study-file-exists")
        #expect(names("study") == ["questionnaires", "questionnaires/f.json"])
        // Drafts are left out.
        let folder = try await make("study", .starting)
        #expect(folder.questionnaires().count == 1)
        #expect(names("study/consent") == [])
    }

    @Test func aSourceWithoutContentsIsAnError() throws {
        defer { temporary.remove() }
        try write("x", to: "source/other/file")
        for name in ["source", "missing"] {
            let error = #expect(throws: ServerError.self) { try StudyContents(of: root.appendingPathComponent(name)) }
            #expect(error?.code == "study-source-empty")
        }
        try write(Self.form, to: "source/questionnaires/f.json")
        try FileManager.default.createSymbolicLink(
            at: root.appendingPathComponent("source/questionnaires/g.json"),
            withDestinationURL: root.appendingPathComponent("source/other/file"))
        let error = #expect(throws: ServerError.self) { try StudyContents(of: root.appendingPathComponent("source")) }
        #expect(error?.code == "study-source-invalid")
    }
}
