/// Rewrites the objects inside a JSON value, outer ones first, with the path of each. Unchanged values are not copied.
package struct ElementRewriting {
    /// One step from a value to a value inside of it.
    package enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The path of the object that is being rewritten; empty for the outermost.
    package private(set) var path: [Step] = []
    private let rewrite: (inout JSONObject, [Step]) -> Bool

    /// Rewrites an object and all objects inside of it.
    ///
    /// - Parameter rewrite: changes one object, given its path, and returns whether it changed it.
    /// - Returns: the changed object; nil if nothing was changed.
    package static func rewritten(
        _ object: JSONObject, _ rewrite: (inout JSONObject, [Step]) -> Bool
    ) -> JSONObject? {
        withoutActuallyEscaping(rewrite) { rewrite in
            var walk = ElementRewriting(rewrite: rewrite)
            return walk.rewritten(object)
        }
    }

    private init(rewrite: @escaping (inout JSONObject, [Step]) -> Bool) { self.rewrite = rewrite }

    private mutating func rewritten(_ object: JSONObject) -> JSONObject? {
        var object = object
        var isChanged = rewrite(&object, path)
        for member in object.members {
            switch member.value {
            case .object, .array: break
            default: continue
            }
            path.append(.member(member.key))
            if let value = rewritten(member.value) {
                object[member.key] = value
                isChanged = true
            }
            path.removeLast()
        }
        return isChanged ? object : nil
    }

    private mutating func rewritten(_ value: JSON) -> JSON? {
        switch value {
        case .object(let object): return rewritten(object).map { .object($0) }
        case .array(let elements):
            var changed = elements
            var isChanged = false
            for (index, element) in elements.enumerated() {
                path.append(.element(index))
                if let value = rewritten(element) {
                    changed[index] = value
                    isChanged = true
                }
                path.removeLast()
            }
            return isChanged ? .array(changed) : nil
        default: return nil
        }
    }
}

extension Sequence<ElementRewriting.Step> {
    /// The path in FHIR's notation, such as `Patient.address[0].line`. An unknown name is the sender's own text: the
    /// path ends before it.
    ///
    /// - Parameter known: whether FHIR defines the name.
    package func written(from root: String, known: (String) -> Bool) -> String {
        var text = root
        for step in self {
            switch step {
            case .member(let name):
                guard known(name) else { return text }
                text += "." + name
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }
}
