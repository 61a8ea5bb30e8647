import Core

/// A JSON Merge Patch (RFC 7396): a document that looks like what it changes, in which null takes a member away.
///
/// FHIR does not name it; clients such as fhirpy send it as `application/json`.
struct MergePatch: Sendable, Hashable {
    let changes: JSONObject

    /// Reads a patch.
    ///
    /// - Throws: ``PatchError`` with code `patch-invalid`: of a resource nothing but an object makes another one.
    init(_ json: JSON) throws(PatchError) {
        guard let changes = json.object else { throw .invalid("A merge patch of a resource is a JSON object.") }
        self.changes = changes
    }

    /// Returns the document as the patch leaves it. Members that the document has keep their places.
    func applied(to document: JSON) -> JSON { Self.merged(document, .object(changes)) }

    /// RFC 7396 section 2.
    private static func merged(_ target: JSON, _ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var result = target.object ?? JSONObject()
        for change in changes.members {
            let value: JSON? =
                if change.value.isNull { .none } else { merged(result[change.key] ?? .null, change.value) }
            result[change.key] = value
        }
        return .object(result)
    }
}
