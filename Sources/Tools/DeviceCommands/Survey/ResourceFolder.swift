import FHIR
import Foundation

/// The resources in the JSON files of a folder, alone or in Bundles.
struct ResourceFolder {
    private var resources: [String: [Resource]] = [:]

    /// Creates a folder without resources.
    init() {}

    /// Reads the files of the folder. A file without a resource is reported, and not read, unless it is the index of a
    /// package.
    ///
    /// - Parameter types: the types of the resources that are read; nil for all, and their files are not reported.
    /// - Throws: ``CommandError`` `folder-unreadable` if there is no such folder.
    init(path: String, ofTypes types: Set<String>? = nil) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CommandError("folder-unreadable", "The folder \(path) cannot be read.")
        }
        for name in names.sorted() where name.hasSuffix(".json") {
            let file = URL(fileURLWithPath: path).appendingPathComponent(name)
            guard let data = FileManager.default.contents(atPath: file.path), let resource = try? Resource(data) else {
                if types == nil, !Self.packageFiles.contains(name) {
                    CommandOutput.note("\(file.path) contains no FHIR resource; it is not read.")
                }
                continue
            }
            let entries = resource.as(FHIR.Bundle.self).map { $0.entry.compactMap(\.resource) } ?? [resource]
            for entry in entries where types?.contains(entry.resourceType) ?? true {
                resources[entry.resourceType, default: []].append(entry)
            }
        }
    }

    /// The files of a FHIR package that describe the package itself
    /// (<https://confluence.hl7.org/display/FHIR/NPM+Package+Specification>).
    private static let packageFiles: Set<String> = ["package.json", ".index.json"]

    /// Returns the resources of a type, in the order of the files' names.
    func all<View: ResourceView>(_ type: View.Type) -> [View] {
        (resources[View.resourceType] ?? []).map { View($0.object) }
    }

    /// Returns the newest resource of a type with a canonical URL, or the one with its version.
    func resource<View: ResourceView>(_ type: View.Type, _ canonical: CanonicalURL) -> View? {
        let found = (resources[View.resourceType] ?? []).filter { $0.object["url"]?.string == canonical.url }
        guard let version = canonical.version else {
            return found.max { PublishedRank($0) < PublishedRank($1) }.map { View($0.object) }
        }
        return found.first { $0.object["version"]?.string == version }.map { View($0.object) }
    }
}
