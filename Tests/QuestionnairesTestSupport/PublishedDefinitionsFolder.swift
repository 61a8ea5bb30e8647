import FHIR
import Foundation
import TestSupport

/// HL7's definitions of FHIR R4 in a folder that is removed with the value.
public final class PublishedDefinitionsFolder: Sendable {
    private let folder: TemporaryFolder

    public init() throws {
        folder = try PublishedData.unpacked("fhir-r4.tar.xz", ["fhir-r4/definitions"])
    }

    /// Returns the resource with a canonical URL, whose last component is the id in the name of the file.
    public func resource<View: ResourceView>(_ type: View.Type, _ url: String) -> View? {
        let name = CanonicalURL(url).url.split(separator: "/").last ?? ""
        let file = folder.url.appendingPathComponent("fhir-r4/definitions/\(View.resourceType)-\(name).json")
        guard let data = FileManager.default.contents(atPath: file.path), let resource = try? Resource(data),
            resource["url"]?.string == CanonicalURL(url).url
        else { return nil }
        return View(resource.object)
    }
}
