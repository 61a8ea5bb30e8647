import FHIR
import Foundation
import TestSupport
import Testing

@testable import FHIRVersions

/// HL7's own examples, if the conformance data are present.
enum PublishedExamples {
    typealias Example = (name: String, resource: Resource)

    static var isThere: Bool { PublishedData.folder != nil }

    static func older(_ version: FHIRVersion) throws -> [Example] {
        try (version == .dstu2 ? dstu2 : stu3).get()
    }

    /// Returns a few resources of each type that occur in Bundles and have no example of their own.
    static func inner(_ version: FHIRVersion) throws -> [Example] {
        var counts: [String: Int] = [:]
        var found: [Example] = []
        for (name, bundle) in try older(version) where bundle.resourceType == "Bundle" {
            for entry in bundle.object["entry"]?.array ?? [] {
                guard let object = entry["resource"]?.object, let type = object["resourceType"]?.string,
                    !FHIRConversion.resourceTypes.contains(type), counts[type, default: 0] < 12
                else { continue }
                counts[type, default: 0] += 1
                found.append((name + "/" + type, Resource(object)))
            }
        }
        return found
    }

    static func r4() throws -> [Example] { try newer.get() }

    private static let dstu2 = examples("fhir-dstu2-stu3.tar.xz", "fhir-older/dstu2/examples")
    private static let stu3 = examples("fhir-dstu2-stu3.tar.xz", "fhir-older/stu3/examples")
    private static let newer = examples("fhir-r4.tar.xz", "fhir-r4/examples")

    /// Returns the resources of a folder in an archive of the conformance data.
    private static func examples(_ archive: String, _ path: String) -> Result<[Example], any Error> {
        Result {
            let unpacked = try PublishedData.unpacked(archive, [path])
            defer { unpacked.remove() }
            let files = PublishedData.files(below: unpacked.url.appendingPathComponent(path))
            return try files.compactMap { file in
                let json = try JSON(try Data(contentsOf: file))
                guard let object = json.object, object["resourceType"] != nil else { return nil }
                return (file.lastPathComponent, Resource(object))
            }
        }
    }
}
