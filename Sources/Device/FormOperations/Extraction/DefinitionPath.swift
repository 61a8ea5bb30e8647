import FHIR

/// The element that an item, or a `definitionExtractValue`, names: `canonical#Patient.name.given`
/// (<https://hl7.org/fhir/R4/questionnaire-definitions.html#Questionnaire.item.definition>).
struct DefinitionPath {
    /// One element of the path.
    struct Step: Hashable {
        /// The name as written, without `[x]` and without its slice.
        let name: String
        /// The name of the slice after a colon.
        let slice: String?
    }

    let canonical: CanonicalURL
    /// The type of the resource.
    let root: String
    let steps: [Step]
    /// Maximum number of elements.
    private static let limit = 50

    /// Nil if the text does not name an element in a resource or profile.
    init?(_ text: String) {
        guard let hash = text.lastIndex(of: "#") else { return nil }
        let names = text[text.index(after: hash)...].split(separator: ".", omittingEmptySubsequences: false)
        guard names.count > 1, names.count <= Self.limit, !names.contains(where: \.isEmpty),
            Resource.isTypeName(String(names[0]))
        else { return nil }
        canonical = CanonicalURL(String(text[..<hash]))
        root = String(names[0])
        steps = names.dropFirst().map { name in
            let parts = name.split(separator: ":", maxSplits: 1)
            let plain = parts[0].hasSuffix("[x]") ? parts[0].dropLast(3) : parts[0]
            return Step(name: String(plain), slice: parts.count > 1 ? String(parts[1]) : nil)
        }
    }
}

/// An element of a type, found by a step of a path.
struct DefinedElement {
    let element: TypeModel.Element
    /// The number of the declaration.
    let order: Int32
    /// The type, if the step or the declaration determines it.
    let type: TypeModel.TypeID?
    /// The slice; nil if the step's slice is a type of the choice.
    let slice: String?

    /// Nil if the type has no such element.
    init?(_ step: DefinitionPath.Step, of parent: TypeModel.TypeID) {
        let model = TypeModel.r4
        if let (order, type) = model.memberIndex(step.name, of: parent) {
            self.order = order
            self.type = type
            element = model.declaration(order)
            slice = step.slice == step.name ? nil : step.slice
            return
        }
        guard let order = model.elementIndex(named: step.name, of: parent) else { return nil }
        self.order = order
        element = model.declaration(order)
        // `value[x]:valueQuantity`
        if let typed = step.slice, let found = model.memberIndex(typed, of: parent), found.element == order {
            type = found.type
            slice = nil
        } else {
            type = nil
            slice = step.slice
        }
    }

    /// Returns the JSON name with a type.
    func key(_ type: TypeModel.TypeID) -> String {
        guard element.isChoice else { return element.name }
        let name = TypeModel.r4.name(of: type)
        return element.name + name.prefix(1).uppercased() + name.dropFirst()
    }
}
