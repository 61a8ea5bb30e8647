import Admission
import FHIR
import Foundation
import StudyFiles
import StudyOperations
import TestSupport
import Testing
import Wire

@Suite struct StudyFolderTests {
    private func withStudy(development: Bool = true, _ body: (StudyFolder) async throws -> Void) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = StudyFolder(path: root.path)
        let study = StudyConfiguration(
            id: "s", title: "S", bundleIdentifier: "org.example.study", development: development)
        try folder.make(study, antispam: "a-secret-word", now: Date())
        try await body(folder)
    }

    @Test func newStudyIsRead() async throws {
        try await withStudy { folder in
            let study = try folder.configuration()
            #expect(study.id == "s")
            #expect(study.development)
            #expect(study.c3pro == C3PROAcceptance(isAccepted: false))
            #expect(!study.acceptPlainFHIR)
            #expect(try folder.keys.currentPublicKeys().count == 2)
        }
    }

    @Test func includedHealthDataIsWhatAllConsentsName() async throws {
        func contract(_ names: [String]) -> Data {
            let extensions = names.map { #"{"url":"urn:tributary:includes-health-data","valueCode":"\#($0)"}"# }
            return Data(
                """
                {"resourceType":"Contract","extension":[\(extensions.joined(separator: ","))],"term":[{"type":{"coding":
                 [{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType","code":"Privacy"}]}}]}
                """.utf8)
        }
        try await withStudy { folder in
            #expect(folder.includedHealthData() == [])
            try contract(["routes", "notes"]).write(to: folder.consentURL.appendingPathComponent("en.json"))
            #expect(folder.includedHealthData() == ["routes", "notes"])
            try contract(["notes", "heartbeats"]).write(to: folder.consentURL.appendingPathComponent("de.json"))
            #expect(folder.includedHealthData() == ["notes"])
        }
    }

    @Test func theStudysOwnTypesMustBeJSON() async throws {
        try await withStudy { folder in
            #expect(try folder.healthTypes() == nil)
            try Data(#"{"types": []}"#.utf8).write(to: folder.healthTypesURL)
            #expect(try folder.healthTypes() != nil)
            try Data("{".utf8).write(to: folder.healthTypesURL)
            let error = #expect(throws: ServerError.self) { try folder.healthTypes() }
            #expect(error?.code == "study-invalid")
        }
    }

    @Test func aStudyIsNeverOverwritten() async throws {
        try await withStudy { folder in
            let before = try Data(contentsOf: folder.publicKeysURL)
            let error = #expect(throws: ServerError.self) {
                try folder.make(
                    StudyConfiguration(id: "t", title: "T", bundleIdentifier: "b"), antispam: "another-word",
                    now: Date())
            }
            #expect(error?.code == "study-exists")
            #expect(try Data(contentsOf: folder.publicKeysURL) == before)
        }
    }

    @Test func secretsHaveTheirModesAndTheAntispamWordIsNotStored() async throws {
        try await withStudy { folder in
            for (file, mode) in [(folder.antispamURL, 0o640), (folder.keys.url, 0o700), (folder.dataURL, 0o700)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(file.lastPathComponent)")
            }
            #expect(!(try String(contentsOf: folder.antispamURL, encoding: .utf8)).contains("a-secret-word"))
        }
    }

    @Test func developmentReceiptsAreTrustedOnlyInADevelopmentStudy() async throws {
        try await withStudy { folder in
            let roots = try (folder.receiptRoots(development: true), folder.receiptRoots(development: false))
            #expect(roots.0.count == 1)
            #expect(roots.1.isEmpty)
        }
        try await withStudy(development: false) { folder in
            let roots = try folder.receiptRoots(development: true)
            #expect(roots.isEmpty)
        }
    }

    @Test(arguments: [
        #"{"title":"x","bundleIdentifier":"b"}"#, #"{"id":"a b","title":"x","bundleIdentifier":"b"}"#,
        #"{"id":"a","title":"x","bundleIdentifier":"b","c3pro":"yes"}"#,
        #"{"id":"a","title":"x","bundleIdentifier":"b","limits":{"submissionBytes":0}}"#, "[", "{",
        #"{"id":"a","title":"x","bundleIdentifier":"b","fhirBlocks":true}"#,
        #"{"id":"a","title":"x","bundleIdentifier":"b","fhirBlocks":{"legacy":"true"}}"#,
    ])
    func invalidStudyFileIsReported(text: String) {
        let error = #expect(throws: ServerError.self) { try StudyConfiguration(json: Data(text.utf8)) }
        #expect(error?.code == "study-invalid")
    }

    @Test func callsOfFhirBlocksOwnAppsAreAcceptedOnlyWhereTheFileSaysSo() throws {
        func accepts(_ member: String) throws -> Bool {
            let text = #"{"id":"a","title":"x","bundleIdentifier":"b"\#(member)}"#
            let study = try StudyConfiguration(json: Data(text.utf8))
            #expect(try StudyConfiguration(json: study.json.data()) == study)
            return study.acceptsLegacyCalls
        }
        #expect(try !accepts("") && !accepts(#","fhirBlocks":{}"#) && !accepts(#","fhirBlocks":{"legacy":false}"#))
        #expect(try accepts(#","fhirBlocks":{"legacy":true}"#))
    }

    @Test func devicesEnrolByReceiptUnlessTheFileNamesInvitations() throws {
        func study(_ members: String) throws -> StudyConfiguration {
            let study = try StudyConfiguration(json: Data(#"{"id":"a","title":"x"\#(members)}"#.utf8))
            #expect(try StudyConfiguration(json: study.json.data()) == study)
            return study
        }
        #expect(try study(#","bundleIdentifier":"b""#).enrolment == [.receipt])
        #expect(
            try study(#","bundleIdentifier":"b","enrolment":["receipt","invitation"]"#).enrolment
                == [.receipt, .invitation])
        #expect(try study(#","bundleIdentifier":"b","enrolment":["invitation"]"#).enrolment == [.invitation])
        // A study without an app.
        let withoutApp = try study("")
        #expect(withoutApp.enrolment == [.invitation] && withoutApp.bundleIdentifier == nil)
        for wrong in [#","enrolment":["receipt"]"#, #","bundleIdentifier":"""#, #","bundleIdentifier":null"#] {
            #expect(throws: ServerError.self, "\(wrong)") { try study(wrong) }
        }
    }
}
