import Core
import FHIR

/// The narrative of a resource after a patch: it must not contradict the data
/// (<https://hl7.org/fhir/R4/http.html#patch>).
package enum PatchedNarrative {
    /// Members that a narrative does not describe.
    private static let other: Set<String> = ["text", "_text", "meta", "id", "contained"]

    /// Returns the resource without a generated narrative, where the patch changed the data and left the narrative.
    ///
    /// - Throws: ``PatchError`` `narrative-stale` where a person wrote the narrative.
    package static func checked(_ after: JSONObject, before: JSONObject) throws(PatchError) -> JSONObject {
        var after = after
        if let text = after["text"], text == before["text"], data(of: after) != data(of: before) {
            switch text["status"]?.string {
            case "empty": break
            case "additional": throw .narrativeStale
            default: after["text"] = nil
            }
        }
        guard let contained = after["contained"]?.array, let former = before["contained"]?.array,
            contained != former
        else { return after }
        var formerByID: [String: JSONObject] = [:]
        for resource in former {
            if let object = resource.object, let id = object["id"]?.string { formerByID[id] = object }
        }
        var checked: [JSON] = []
        for resource in contained {
            guard let object = resource.object, let id = object["id"]?.string, let before = formerByID[id] else {
                checked.append(resource)
                continue
            }
            checked.append(.object(try self.checked(object, before: before)))
        }
        after["contained"] = .array(checked)
        return after
    }

    private static func data(of resource: JSONObject) -> [JSONObject.Member] {
        resource.members.filter { !other.contains($0.key) }
    }
}
