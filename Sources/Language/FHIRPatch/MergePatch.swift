import Core

/// A JSON Merge Patch (RFC 7396): a document of changes with the structure of its target, in which null removes a
/// member.
///
/// FHIR does not define it; clients such as fhirpy send it as `application/json`.
public struct MergePatch: Sendable, Hashable {
    package let changes: JSONObject

    /// Reads a patch.
    ///
    /// - Throws: ``PatchError`` with code `patch-invalid`: only an object changes a resource to another one.
    public init(_ json: JSON) throws(PatchError) {
        guard let changes = json.object else { throw .invalid("A merge patch of a resource is a JSON object.") }
        self.changes = changes
    }

    /// Returns the document with the changes. Existing members keep their order.
    public func applied(to document: JSON) -> JSON { Self.merged(document, .object(changes)) }

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
