import FHIR
import FHIRVersions
import Foundation

/// A file of a published resource: a form, a value set or a consent, in its original release of FHIR.
///
/// Files with one type and id are releases of one resource. If the content fits several releases, a release in the
/// file's name decides (`sleep.stu3.json`); the content takes precedence.
package struct PublishedFile: Sendable {
    /// The location of the file.
    package let file: URL
    /// The bytes of the file.
    package let data: Data
    /// The resource in the file.
    package let resource: Resource
    /// The file's name without `.json`, without the release after it and without the type before it, as in the names
    /// of C3-PRO's apps
    /// (`ValueSet_SF36.json`).
    package let fileName: String
    /// The releases whose readers can use the file unchanged.
    package let releases: Set<FHIRVersion>
    /// The release with which the server reads the file.
    package let release: FHIRVersion

    /// Examines a resource that was read from a file.
    package init(file: URL, data: Data, resource: Resource) {
        self.file = file
        self.data = data
        self.resource = resource
        let stem = file.deletingPathExtension().lastPathComponent
        let label = stem.lastIndex(of: ".").flatMap { FHIRVersion(rawValue: String(stem[stem.index(after: $0)...])) }
        let bare = label.map { String(stem.dropLast($0.rawValue.count + 1)) } ?? stem
        let type = resource.resourceType + "_"
        fileName = bare.hasPrefix(type) ? String(bare.dropFirst(type.count)) : bare
        releases = FHIRVersion.readers(of: resource, label: label)
        release = FHIRVersion.of(resource, label: label?.number)
    }

    /// The name that it has in common with other files of one resource: its id, or the file's name.
    package var name: String { resource.id ?? fileName }

    /// The names with which it can be found: its id, and the file's name.
    var names: Set<String> {
        Set([resource.id, fileName, file.deletingPathExtension().lastPathComponent].compactMap(\.self))
    }

    /// The version that its author assigned.
    var version: String? { resource.object["version"]?.string }

    /// The resource as R4; nil if it cannot be converted.
    package var inR4: Resource? {
        try? FHIRConversion.toR4(
            resource, from: release, budget: StepBudget(steps: Self.maximumConversionSteps)
        ).resource
    }

    /// The form as R4; nil if the file contains none, or it cannot be converted. C3-PRO's apps refer to a form without
    /// an id by its identifier.
    package var questionnaire: Questionnaire? {
        guard var form = inR4?.as(Questionnaire.self) else { return nil }
        if form.id == nil, let value = form.identifier.first?.value, Resource.isID(value) { form.id = value }
        return form
    }

    /// Whether this file is a newer release of another one. An older release without a version matches any version.
    func supersedes(_ other: PublishedFile) -> Bool {
        release > other.release && (version == other.version || other.version == nil)
    }

    /// Maximum number of elements that are converted for one published resource.
    private static let maximumConversionSteps = 10_000_000
}

extension [PublishedFile] {
    /// Returns the files without those that also exist in a newer release.
    func newestReleases() -> [PublishedFile] {
        let byName = Dictionary(grouping: self, by: \.name)
        return filter { file in !(byName[file.name] ?? []).contains { $0.supersedes(file) } }
    }
}
