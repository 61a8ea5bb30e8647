import FHIR

/// The path from a resource to one of its elements.
struct ElementPath {
    struct Step {
        /// The JSON name, with the type of a choice; with the prefix `_` if there is only the sibling.
        let key: String
        /// The index in an array; nil for an element that does not repeat.
        var index: Int?
        /// The number of the declaration; -1 if R4 does not define the element.
        let declaration: Int32
        let type: TypeModel.TypeID
    }

    /// The type name of the outermost resource.
    let root: String
    var steps: [Step] = []

    init(root: String) { self.root = ElementPath.shortened(root) }

    /// The path as FHIRPath: `Observation.component[0].value.ofType(Quantity)`.
    var expression: String { expression(of: steps[...]) }

    func expression(of steps: ArraySlice<Step>) -> String {
        let model = TypeModel.r4
        var text = root.isEmpty ? "%resource" : root
        for step in steps {
            let declared = step.declaration >= 0 ? model.declaration(step.declaration) : nil
            if let declared, declared.isChoice {
                text += "." + declared.name
                if step.type.isKnown { text += ".ofType(" + model.name(of: step.type) + ")" }
            } else {
                let name = step.key.hasPrefix("_") ? String(step.key.dropFirst()) : step.key
                text += "." + ElementPath.escaped(name)
            }
            if let index = step.index { text += "[\(index)]" }
        }
        return text
    }

    /// Returns the name, in backticks if it is not an identifier of FHIRPath.
    private static func escaped(_ name: String) -> String {
        let isPlain =
            name.utf8.enumerated().allSatisfy { index, byte in
                (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
                    || (index > 0 && (0x30...0x39).contains(byte))
            } && !name.isEmpty
        let text = shortened(name)
        guard !isPlain || reserved.contains(name) else { return text }
        return "`" + text.replacing("\\", with: "\\\\").replacing("`", with: "\\`") + "`"
    }

    /// Returns a name of the document for display: complete if it could be one of FHIR's, otherwise its beginning.
    static func shortened(_ name: String) -> String {
        name.utf8.count > 64 ? String(name.prefix(64)) + "…" : name
    }

    private static let reserved: Set<String> = ["div", "mod", "and", "or", "xor", "implies", "is", "true", "false"]
}
