import FHIR
import FHIRValidation
import Foundation
import HealthData
import Testing

@testable import StudyFiles

@Suite struct PublishedDefinitionsTests {
    static let validator = FHIRValidator(namespaces: [PublishedDefinitions.namespace])

    @Test func definitionsAreValidWithUniqueIDsAndURLs() {
        var names: Set<String> = []
        for object in PublishedDefinitions.all {
            let errors = Self.validator.validate(.object(object)).errors
            #expect(errors.isEmpty, "\(object["id"]?.string ?? ""): \(errors)")
            let url = object["url"]?.string ?? ""
            let name = "\(object["resourceType"]?.string ?? "")/\(object["id"]?.string ?? "")"
            let (isNewURL, isNewName) = (names.insert(url).inserted, names.insert(name).inserted)
            #expect(url.hasPrefix("urn:tributary:") && isNewURL && isNewName, "\(name)")
            #expect(FHIRValidator.reasonProfileIsUnreadable(object) == nil || object["resourceType"] == "CodeSystem")
        }
        #expect(PublishedDefinitions.extensions.count > 50)
    }

    /// Every Tributary extension that the sources write is defined.
    @Test func extensionsOfExamplesAreDefinedAndValid() throws {
        let defined = Set(PublishedDefinitions.extensions.compactMap(\.url))
        var seen: Set<String> = []
        func visit(at value: JSON) {
            if let array = value.array { array.forEach(visit) }
            guard let object = value.object else { return }
            for member in object.members {
                if member.key.lowercased().hasSuffix("extension") {
                    seen.formUnion((member.value.array ?? []).compactMap { $0["url"]?.string })
                }
                visit(at: member.value)
            }
        }
        for type in HealthType.all {
            let example = try #require(type.example())
            visit(at: example)
            #expect(Self.validator.validate(example).errors.isEmpty, "\(type.identifier)")
        }
        #expect(seen.filter { $0.hasPrefix("urn:tributary:") }.isSubset(of: defined))
    }

    @Test func extensionInAnotherContextOrOfAnotherTypeIsAnError() throws {
        let wrong: JSON = [
            "resourceType": "Patient",
            "extension": [
                ["url": "urn:tributary:age-90-or-older", "valueString": "yes"],
                ["url": "urn:tributary:move-code", "valueString": "A"],
            ],
        ]
        let codes = Self.validator.validate(wrong).errors.map(\.code)
        #expect(codes.contains("extension-context"), "\(codes)")
        #expect(codes.contains("profile-element-type"), "\(codes)")
        let right: JSON = [
            "resourceType": "Patient", "extension": [["url": "urn:tributary:age-90-or-older", "valueBoolean": true]],
        ]
        #expect(Self.validator.validate(right).errors.isEmpty)
    }

    @Test func validationCodesMatchTheSources() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Language/FHIRValidation")
        let listed = Set(ValidationReport.codeSystem.concept.compactMap(\.code))
        var written: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files
        where file.pathExtension == "swift" && !file.path.contains("/Tables/")
            && file.lastPathComponent != "ValidationReport+CodeSystem.swift"
        {
            let text = try String(contentsOf: file, encoding: .utf8)
            let calls =
                /(?:error|warning|report)\(\s*\.[A-Za-z]+,\s+(?:kind: \.[A-Za-z]+,\s+)?code: "([a-z-]+)"/
            for match in text.matches(of: calls) {
                written.insert(String(match.output.1))
            }
        }
        #expect(written.count > 30)
        #expect(written.isSubset(of: listed), "\(written.subtracting(listed).sorted())")
    }
}
