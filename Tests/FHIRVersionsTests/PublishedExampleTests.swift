import FHIR
import Foundation
import Testing

@testable import FHIRVersions

private let conformance = ProcessInfo.processInfo.environment["TRIBUTARY_CONFORMANCE"]

/// HL7's own examples.
@Suite(.enabled(if: conformance != nil, "TRIBUTARY_CONFORMANCE names no folder"))
struct PublishedExampleTests {
    @Test(arguments: [FHIRVersion.dstu2, .stu3])
    func everyExampleBecomesR4(version: FHIRVersion) throws {
        var count = 0
        for (name, resource) in try examples("fhir-dstu2-stu3.tar.xz", "fhir-older/\(version.rawValue)/examples") {
            guard FHIRConversion.resourceTypes.contains(resource.resourceType) else { continue }
            count += 1
            let result = try FHIRConversion.toR4(resource, from: version)
            let problems = StructureCheck.problems(result.resource)
            #expect(problems == [], "\(name)")
            // These codes are said by names of elements or by a code of R4.
            let renamed: Set = ["has-member", "derived-from", "published", "instant"]
            let lost = Set(strings(resource.json)).subtracting(strings(result.resource.json)).subtracting(renamed)
            let named = result.notes.contains { $0.kind == .leftOut || $0.kind == .changed }
            #expect(lost.isEmpty || named, "\(name): \(lost.count) values are gone and no note says so")
            #expect(FHIRVersion.candidates(of: resource).contains(version), "\(name)")
        }
        #expect(count > 60)
    }

    @Test func theCheckAcceptsR4sOwnExamplesAndRefusesOlderOnes() throws {
        for (name, resource) in try examples("fhir-r4.tar.xz", "fhir-r4/examples")
        where FHIRConversion.resourceTypes.contains(resource.resourceType) {
            // Published with items that have no linkId.
            if name == "Questionnaire-qs1.json" { continue }
            #expect(StructureCheck.problems(resource) == [], "\(name)")
            #expect(FHIRVersion.of(resource, label: "R4") == .r4, "\(name)")
        }
        let response = try examples("fhir-dstu2-stu3.tar.xz", "fhir-older/dstu2/examples")
            .filter { $0.resource.resourceType == "QuestionnaireResponse" }
        #expect(response.allSatisfy { !StructureCheck.problems($0.resource).isEmpty } && !response.isEmpty)
    }

    private func strings(_ json: JSON) -> [String] {
        switch json {
        case .string(let text): [text]
        case .number(let number): [number.text]
        case .array(let values): values.flatMap(strings)
        case .object(let object): object.members.flatMap { strings($0.value) }
        case .null, .bool: []
        }
    }

    /// The resources of a folder in an archive of the conformance data.
    private func examples(_ archive: String, _ folder: String) throws -> [(name: String, resource: Resource)] {
        let root = URL(fileURLWithPath: try #require(conformance))
        let target = FileManager.default.temporaryDirectory.appendingPathComponent("examples-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: target) }
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xf", root.appendingPathComponent(archive).path, "-C", target.path, folder]
        try tar.run()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        let files = try FileManager.default.contentsOfDirectory(
            at: target.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.compactMap { file in
            let json = try JSON(try Data(contentsOf: file))
            guard let object = json.object, object["resourceType"] != nil else { return nil }
            return (file.lastPathComponent, Resource(object))
        }
    }
}
