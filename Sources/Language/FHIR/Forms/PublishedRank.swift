/// The rank of a published resource among others with the same name: active resources rank above drafts and retired
/// ones, then by version (``BusinessVersion``), then by date.
///
/// These elements are the same in all releases of FHIR (<https://hl7.org/fhir/R4/canonicalresource.html>).
public struct PublishedRank: Sendable, Comparable {
    private let isActive: Bool
    private let version: BusinessVersion
    private let date: String

    /// Reads the rank of a resource.
    public init(_ resource: Resource) {
        let status = resource.object["status"]?.string
        isActive = status != "draft" && status != "retired"
        version = BusinessVersion(resource.object["version"]?.string)
        // The texts of dates sort like the dates, except for offsets within a day.
        date = resource.object["date"]?.string ?? ""
    }

    public static func < (left: PublishedRank, right: PublishedRank) -> Bool {
        if left.isActive != right.isActive { return right.isActive }
        if left.version != right.version { return left.version < right.version }
        return left.date < right.date
    }
}
