import FHIR

/// The rules of each type and element of R4, by number, created once from the tables.
struct ValidationPlan: Sendable {
    static let r4 = ValidationPlan(TypeModel.r4)

    /// The rules of an element. It is small and has no strings, so that the walk copies none.
    struct ElementRule: Sendable {
        let isRepeated: Bool
        let isChoice: Bool
        let isRequired: Bool
        /// The index among the elements of every type that has the element; inherited elements come first.
        let position: Int
        let binding: (strength: TypeModel.BindingStrength, valueSet: Int)?
        /// Constraints of the element in addition to those of its type.
        let invariants: [Int32]
        let isReference: Bool
    }

    struct TypeRule: Sendable {
        let kind: TypeModel.Kind
        /// The format of a primitive type; nil for other types.
        let format: PrimitiveFormat.Rule?
        /// The indices of the required elements.
        let required: [Int]
        /// Constraints of the type and of its base types.
        let invariants: [Int32]
        let special: Special
    }

    /// Types that have rules of their own.
    enum Special: UInt8, Sendable {
        case none, `extension`, reference, narrative, coding, codeableConcept, quantity, bundle, resource, xhtml
    }

    let elements: [ElementRule]
    let types: [TypeRule]
    let resource: TypeModel.TypeID

    init(_ model: TypeModel) {
        let invariants = InvariantTable.r4
        var positions: [Int32: Int] = [:]
        for index in 0..<model.typeCount {
            let type = TypeModel.TypeID(index: Int32(index))
            for (position, number) in model.elementIndices(of: type).enumerated() { positions[number] = position }
        }
        elements = (0..<Int32(model.elementCount)).map { number in
            let element = model.declaration(number)
            let isReference = element.types.contains { $0.type == model.referenceType }
            return ElementRule(
                isRepeated: element.isRepeated, isChoice: element.isChoice, isRequired: element.min > 0,
                position: positions[number] ?? 0, binding: element.binding,
                invariants: ValidationPlan.own(element, table: invariants, model: model), isReference: isReference)
        }
        var types: [TypeRule] = []
        for index in 0..<model.typeCount {
            let type = TypeModel.TypeID(index: Int32(index))
            let required = model.elementIndices(of: type)
                .filter { model.declaration($0).min > 0 }.map { positions[$0] ?? 0 }
            var stated: [Int32] = []
            var current: TypeModel.TypeID? = type
            while let id = current {
                stated += invariants.byPath[model.name(of: id)] ?? []
                current = model.base(of: id)
            }
            types.append(
                TypeRule(
                    kind: model.kind(of: type), format: PrimitiveFormat.Rule(type: model.name(of: type)),
                    required: required, invariants: stated.filter { !invariants.rows[Int($0)].isNative },
                    special: ValidationPlan.special(type, model)))
        }
        self.types = types
        resource = model.resourceType
    }

    /// Returns the constraints by the element's path. Those of a backbone element belong to its type, which has the
    /// same path.
    private static func own(_ element: TypeModel.Element, table: InvariantTable, model: TypeModel) -> [Int32] {
        guard model.type(element.path) == nil else { return [] }
        return (table.byPath[element.path] ?? []).filter { !table.rows[Int($0)].isNative }
    }

    private static func special(_ type: TypeModel.TypeID, _ model: TypeModel) -> Special {
        switch model.name(of: type) {
        case "Extension": .extension
        case "Reference": .reference
        case "Narrative": .narrative
        case "Coding": .coding
        case "CodeableConcept": .codeableConcept
        case "Bundle": .bundle
        case "xhtml": .xhtml
        default:
            if let quantity = model.type("Quantity"), model.isSubtype(type, of: quantity) {
                .quantity
            } else if model.kind(of: type) == .resource {
                .resource
            } else {
                .none
            }
        }
    }
}

/// A set of indices of elements of one type.
struct ElementSet: Sendable, Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Maximum number of elements of a type.
    static let capacity = 128

    mutating func insert(_ position: Int) {
        if position < 64 { low |= 1 << UInt64(position) } else { high |= 1 << UInt64(position - 64) }
    }

    func contains(_ position: Int) -> Bool {
        position < 64 ? low >> UInt64(position) & 1 == 1 : high >> UInt64(position - 64) & 1 == 1
    }
}
