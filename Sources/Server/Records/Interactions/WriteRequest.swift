import FHIR

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
    /// The version that the present must be (`If-Match`).
    var ifMatch: Int64?
    /// Whether there must be none (`If-None-Match: *`).
    var ifNoneMatch = false
    /// How other entries of a Bundle refer to it.
    var fullURL: String?

    /// The criteria by which it is found.
    var criteria: Criteria? {
        switch place {
        case .newUnless(let criteria), .found(let criteria): criteria
        case .new, .id: nil
        }
    }
}

/// A patch in any of its forms (<https://hl7.org/fhir/R4/http.html#patch>).
enum ResourcePatch: Sendable {
    case json(JSONPatch)
    case merge(MergePatch)
    case fhirPath(FHIRPathPatch)

    /// - Throws: ``PatchError``
    func applied(to resource: Resource) throws(PatchError) -> Resource {
        let patched: JSON =
            switch self {
            case .json(let patch): try patch.applied(to: resource.json)
            case .merge(let patch): patch.applied(to: resource.json)
            case .fhirPath(let patch): .object(try patch.applied(to: resource.object))
            }
        guard let object = patched.object else { throw .invalid("Nothing would be left of the resource.") }
        return Resource(object)
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
