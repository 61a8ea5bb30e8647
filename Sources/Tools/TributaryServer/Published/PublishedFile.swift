import FHIR
import FHIRVersions
import Foundation

/// A file of a resource that the study publishes: a form, a value set or a consent, in the release of FHIR in which it was
/// written.
///
/// Files of one type and id are releases of one resource. Where a resource could be of several releases, a release behind the
/// file's name tells (`sleep.stu3.json`); what the resource shows counts more.
public struct PublishedFile: Sendable {
    /// Where it stands.
    public let file: URL
    /// Its bytes.
    public let data: Data
    /// What it holds.
    public let resource: Resource
    /// The file's name without `.json`, the release behind it and the type before it, as C3-PRO's apps name their files
    /// (`ValueSet_SF36.json`).
    public let fileName: String
    /// The releases whose readers take it as it stands.
    public let releases: Set<FHIRVersion>
    /// The release as which the server reads it.
    public let release: FHIRVersion

    /// Looks at a resource that was read from a file.
    public init(file: URL, data: Data, resource: Resource) {
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

    /// The name under which it is one resource with other files: its id, else the file's name.
    public var name: String { resource.id ?? fileName }

    /// The names by which it is found: its id, and the file's.
    var names: Set<String> {
        Set([resource.id, fileName, file.deletingPathExtension().lastPathComponent].compactMap(\.self))
    }

    /// The version that its author gave it.
    var version: String? { resource.object["version"]?.string }

    /// The resource as R4; nil where it cannot be converted.
    public var inR4: Resource? {
        try? FHIRConversion.toR4(
            resource, from: release, budget: StepBudget(steps: Self.maximumConversionSteps)
        ).resource
    }

    /// The form of the file as R4; nil where it holds none or cannot be converted. C3-PRO's apps call a form without an id by its
    /// identifier.
    public var questionnaire: Questionnaire? {
        guard var form = inR4?.as(Questionnaire.self) else { return nil }
        if form.id == nil, let value = form.identifier.first?.value, Resource.isID(value) { form.id = value }
        return form
    }

    /// Whether this is the same as another file, in a newer release. An older release that names no version is of whichever
    /// version there is.
    func supersedes(_ other: PublishedFile) -> Bool {
        release > other.release && (version == other.version || other.version == nil)
    }

    /// Elements of one published resource that are converted.
    private static let maximumConversionSteps = 10_000_000
}

extension [PublishedFile] {
    /// The files without those that stand here in a newer release too.
    func newestReleases() -> [PublishedFile] {
        let byName = Dictionary(grouping: self, by: \.name)
        return filter { file in !(byName[file.name] ?? []).contains { $0.supersedes(file) } }
    }
}
