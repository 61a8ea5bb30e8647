import FHIR
import FHIRPatch
import Foundation
import RecordStorage

/// One write interaction as requested (<https://hl7.org/fhir/R4/http.html>).
package struct WriteRequest: Sendable {
    /// The parameters of a search that identifies the target.
    package typealias Criteria = [(name: String, value: String)]

    /// The target of the request.
    enum Destination: Sendable {
        /// A new resource.
        case new
        /// A new resource, unless the criteria find one (`If-None-Exist`).
        case newUnless(Criteria)
        case id(String)
        /// The resource that the criteria find.
        case found(Criteria)
    }

    /// The change of the target.
    enum Change: Sendable {
        case create(Resource)
        case update(Resource)
        case patch(ResourcePatch)
        case delete
    }

    let type: String
    let destination: Destination
    var change: Change
    /// The condition on the current version (`If-Match`); nil where there is none.
    var ifMatch: VersionCondition?
    /// The condition that the current version must not meet (`If-None-Match`); nil where there is none.
    var ifNoneMatch: VersionCondition?
    /// The URL by which other entries of a Bundle refer to it.
    var fullURL: String?
    /// Its index among all entries of a transaction; nil for a single request.
    var entry: Int?

    /// Whether it is an entry of a Bundle, where references may be searches.
    var isOfBundle: Bool { fullURL != nil }

    /// The criteria that identify the target.
    var criteria: Criteria? {
        switch destination {
        case .newUnless(let criteria), .found(let criteria): criteria
        case .new, .id: nil
        }
    }
}

/// The versions in `If-Match` or `If-None-Match` (<https://www.rfc-editor.org/rfc/rfc9110#name-if-match>).
enum VersionCondition: Sendable, Hashable {
    /// `*`: any version, if the resource exists.
    case any
    /// One of these. A tag that is not a version number matches no version.
    case versions(Set<Int64>)

    /// Reads `*`, or a comma-separated list of tags such as `W/"3"`; nil for anything else.
    init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "*" {
            self = .any
            return
        }
        var versions: Set<Int64> = []
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" }
            if rest.hasPrefix("W/") { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
            let tag = rest[rest.index(after: rest.startIndex)..<end]
            if let version = Int64(tag), String(version) == tag { versions.insert(version) }
            rest = rest[rest.index(after: end)...].drop { $0 == " " || $0 == "\t" }
            guard rest.first == "," else { break }
            rest.removeFirst()
        }
        guard rest.isEmpty else { return nil }
        self = .versions(versions)
    }

    /// Whether a version meets the condition.
    ///
    /// - Parameter version: nil where there is no resource.
    func takes(_ version: Int64?) -> Bool {
        guard let version else { return false }
        switch self {
        case .any: return true
        case .versions(let versions): return versions.contains(version)
        }
    }
}

/// A patch in any of its forms (<https://hl7.org/fhir/R4/http.html#patch>).
enum ResourcePatch: Sendable {
    case json(JSONPatch)
    case merge(MergePatch)
    case fhirPath(FHIRPathPatch)

    /// - Parameters:
    ///   - maximumBytes: the maximum size of a stored resource.
    ///   - budget: the remaining costs of the request's patches.
    /// - Throws: ``PatchError``
    func applied(
        to resource: Resource, maximumBytes: Int, _ budget: inout PatchBudget
    ) throws(PatchError) -> Resource {
        let patched: JSON =
            switch self {
            case .json(let patch): try patch.applied(to: resource.json, &budget)
            case .merge(let patch): patch.applied(to: resource.json)
            case .fhirPath(let patch): .object(try patch.applied(to: resource.object, &budget))
            }
        guard let object = patched.object else { throw .invalid("The patch would remove the resource.") }
        guard patched.byteCount(upTo: maximumBytes) != nil else { throw .tooLarge }
        return Resource(try PatchedNarrative.checked(object, before: resource.object))
    }
}

/// The outcome of a ``WriteRequest``.
package struct WriteOutcome: Sendable {
    enum Kind: Sendable {
        case created
        case updated
        /// The current version has the same content, or the resource of a conditional create exists.
        case unchanged
        case deleted
        /// There was nothing to delete.
        case absent
    }

    let kind: Kind
    let type: String
    let id: String
    /// The version after the write; nil where there is none.
    let record: StoredRecord?
    /// Whether the writer may read it; only then the response contains it.
    let isShown: Bool
}
