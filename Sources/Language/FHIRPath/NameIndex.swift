import FHIR

/// The element tables of R4 by name: what evaluation asks of them at each step, without a look at texts.
final class NameIndex: Sendable {
    static let shared = NameIndex()

    /// What a name stands for in one type.
    struct Member: Sendable {
        let declaration: Int32
        let type: TypeModel.TypeID
        let isPrimitive: Bool
    }

    /// One name in all types that have it.
    final class Table: Sendable {
        private let types: [Int32]
        private let members: [Member]

        init(_ entries: [(type: Int32, member: Member)]) {
            let sorted = entries.sorted { $0.type < $1.type }
            types = sorted.map(\.type)
            members = sorted.map(\.member)
        }

        func member(of type: TypeModel.TypeID) -> Member? {
            var (low, high) = (0, types.count)
            while low < high {
                let middle = (low + high) / 2
                if types[middle] < type.index { low = middle + 1 } else { high = middle }
            }
            return low < types.count && types[low] == type.index ? members[low] : nil
        }
    }

    /// Elements that are no choice.
    private let plain: [String: Table]
    /// Choices by their name in FHIRPath: `value`.
    private let choices: [String: Table]
    /// The members of choices by their name in JSON: `valueQuantity`.
    private let members: [String: Table]
    private let bases: [Int32]
    private let primitives: [Bool]
    let elementType: TypeModel.TypeID
    let resourceType: TypeModel.TypeID

    private init() {
        let model = TypeModel.r4
        var plain: [String: [(type: Int32, member: Member)]] = [:]
        var choices = plain
        var members = plain
        func member(_ element: Int32, _ type: TypeModel.TypeID) -> Member {
            Member(declaration: element, type: type, isPrimitive: model.isPrimitive(type))
        }
        for index in 0..<Int32(model.typeCount) {
            let type = TypeModel.TypeID(index: index)
            for element in model.elementIndices(of: type) {
                let declared = model.declaration(element)
                if declared.isChoice {
                    choices[declared.name, default: []].append((index, member(element, .unknown)))
                    for target in declared.types {
                        let name = model.name(of: target.type)
                        let key = declared.name + name.prefix(1).uppercased() + name.dropFirst()
                        members[key, default: []].append((index, member(element, target.type)))
                    }
                } else if let inside = model.memberIndex(declared.name, of: type)?.type {
                    plain[declared.name, default: []].append((index, member(element, inside)))
                }
            }
        }
        self.plain = plain.mapValues(Table.init)
        self.choices = choices.mapValues(Table.init)
        self.members = members.mapValues(Table.init)
        let types = (0..<Int32(model.typeCount)).map { TypeModel.TypeID(index: $0) }
        bases = types.map { model.base(of: $0)?.index ?? -1 }
        primitives = types.map { model.isPrimitive($0) }
        elementType = model.elementType
        resourceType = model.resourceType
    }

    /// Elements of the name that are no choice.
    func plain(_ name: String) -> Table? { plain[name] }

    /// Choices of the name.
    func choice(_ name: String) -> Table? { choices[name] }

    /// Members of choices of the name.
    func choiceMember(_ name: String) -> Table? { members[name] }

    /// What the JSON name of a member stands for in a type.
    func member(_ key: String, of type: TypeModel.TypeID) -> Member? {
        plain[key]?.member(of: type) ?? members[key]?.member(of: type)
    }

    func isPrimitive(_ type: TypeModel.TypeID) -> Bool { type.isKnown && primitives[Int(type.index)] }

    /// Whether a type is another one or derived from it.
    func isSubtype(_ type: TypeModel.TypeID, of other: TypeModel.TypeID) -> Bool {
        var current = type.index
        while current >= 0 {
            if current == other.index { return true }
            current = bases[Int(current)]
        }
        return false
    }
}
