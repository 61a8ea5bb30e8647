import FHIR
import Foundation
import Testing

@testable import FHIRVersions

/// The files in `Examples/study` have R4's structure.
@Suite struct ExampleStudyTests {
    @Test(arguments: ["consent/contract.json", "questionnaires/sleep-diary.json", "questionnaires/mood-check.json"])
    func theExampleStudyHasR4sStructure(path: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/study")
        let resource = try Resource([UInt8](Data(contentsOf: folder.appendingPathComponent(path))))
        #expect(StructureCheck.problems(resource) == [])
        #expect(FHIRVersion.of(resource, label: "R4") == .r4)
    }
}
