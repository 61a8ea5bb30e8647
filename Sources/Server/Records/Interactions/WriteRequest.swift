import FHIR
import Foundation

/// One interaction that writes, as it was asked for (<https://hl7.org/fhir/R4/http.html>).
struct WriteRequest: Sendable {
    /// The parameters of a search that tells which resource is meant.
    typealias Criteria = [(name: String, value: String)]

    /// Which resource is meant.
    enum Place: Sendable {
        /// A new one.
        case new
        /// A new one unless there is one that these find (`If-None-Exist`).
        case newUnless(Criteria)
        case id(String)
        /// The one that these find.
        case found(Criteria)
    }

    /// What becomes of it.
    enum Change: Sendable {
        case create(Resource)
        case update(Resource)
        case patch(ResourcePatch)
        case delete
    }

    let type: String
    let place: Place
    var change: Change
    /// What the present version must be (`If-Match`); nil where nothing is asked.
    var ifMatch: VersionCondition?
    /// What the present version must not be (`If-None-Match`); nil where nothing is asked.
    var ifNoneMatch: VersionCondition?
    /// How other entries of a Bundle refer to it.
    var fullURL: String?
    /// Its index among all entries of a transaction; nil where it came alone.
    var entry: Int?

    /// Whether it came in a Bundle, where references may be searches.
    var isOfBundle: Bool { fullURL != nil }

    /// The criteria by which it is found.
    var criteria: Criteria? {
        switch place {
        case .newUnless(let criteria), .found(let criteria): criteria
        case .new, .id: nil
        }
    }
}

/// The versions that `If-Match` or `If-None-Match` names (<https://www.rfc-editor.org/rfc/rfc9110#name-if-match>).
enum VersionCondition: Sendable, Hashable {
    /// `*`: any version, where there is one.
    case any
    /// One of these. A tag that is no number of a version is the tag of none.
    case versions(Set<Int64>)

    /// Reads `*`, or tags such as `W/"3"` with commas between them; nil for anything else.
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

    /// Whether a version is one of these.
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
    ///   - maximumBytes: the limit on a stored resource.
    ///   - budget: what the patches of the request may still cost.
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
        guard let object = patched.object else { throw .invalid("Nothing would be left of the resource.") }
        guard patched.byteCount(upTo: maximumBytes) != nil else { throw .tooLarge }
        return Resource(try PatchedNarrative.checked(object, before: resource.object))
    }
}

/// What became of a ``WriteRequest``.
struct WriteOutcome: Sendable {
    enum Kind: Sendable {
        case created
        case updated
        /// The present has the same content, or the resource that was not to be made twice is there.
        case unchanged
        case deleted
        /// There was nothing to delete.
        case absent
    }

    let kind: Kind
    let type: String
    let id: String
    /// The version that it is now; nil where there is nothing.
    let record: StoredRecord?
    /// Whether whoever wrote it may read it: the answer has its content then alone.
    let isShown: Bool
}
