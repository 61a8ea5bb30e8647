import FHIR

/// The references of a form's elements to its contained resources: `#id` in a Reference, a canonical or a URI.
enum FormReferences {
    private static let names: Set<String> = ["reference", "answerValueSet", "valueUri", "valueCanonical", "valueUrl"]

    /// Returns the ids of the contained resources to which a value refers.
    static func contained(in value: JSON) -> Set<String> {
        var output: Set<String> = []
        var waiting = [value]
        while let next = waiting.popLast() {
            switch next {
            case .array(let elements): waiting += elements
            case .object(let object):
                for member in object.members {
                    if names.contains(member.key), let text = member.value.string, text.hasPrefix("#") {
                        output.insert(String(text.dropFirst()))
                    } else {
                        waiting.append(member.value)
                    }
                }
            default: break
            }
        }
        return output
    }

    /// Returns an object whose references to contained resources have a prefix.
    ///
    /// - Parameter ids: the ids of the contained resources.
    static func prefixed(_ object: JSONObject, prefix: String, ids: Set<String>) -> JSONObject {
        guard !ids.isEmpty else { return object }
        let changed = ElementRewriting.rewritten(object) { object, _ in
            var isChanged = false
            for member in object.members where names.contains(member.key) {
                guard let text = member.value.string, text.hasPrefix("#"), ids.contains(String(text.dropFirst())) else {
                    continue
                }
                object[member.key] = .string("#" + prefix + text.dropFirst())
                isChanged = true
            }
            return isChanged
        }
        return changed ?? object
    }
}
