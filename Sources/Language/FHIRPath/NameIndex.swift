import FHIR

/// The elements of R4's types by name, for lookups at each step of an evaluation without comparing texts.
final class NameIndex: Sendable {
    static let shared = NameIndex()

    /// The element with a name in one type.
    struct Member: Sendable {
        let declaration: Int32
        let type: TypeModel.TypeID
        let isPrimitive: Bool
    }

    private struct Slot: Sendable {
        let name: String
        /// -1: an empty slot.
        let type: Int32
        let member: Member
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

    /// Elements that are not choices.
    private let plain: [String: Table]
    /// Choices by their name in FHIRPath: `value`.
    private let choices: [String: Table]
    /// The members of choices by their name in JSON: `valueQuantity`.
    private let members: [String: Table]
    /// All JSON names of all types, in a hash table by name and type.
    private let slots: [Slot]
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
        let all = [plain, members].flatMap { $0.flatMap { name, rows in rows.map { (name, $0.type, $0.member) } } }
        var count = 1
        while count < all.count * 2 { count *= 2 }
        var slots = [Slot](repeating: Slot(name: "", type: -1, member: member(-1, .unknown)), count: count)
        for (name, type, member) in all {
            var index = NameIndex.hash(name, type) & (count - 1)
            while slots[index].type >= 0 { index = (index + 1) & (count - 1) }
            slots[index] = Slot(name: name, type: type, member: member)
        }
        self.slots = slots
        self.plain = plain.mapValues(Table.init)
        self.choices = choices.mapValues(Table.init)
        self.members = members.mapValues(Table.init)
        let types = (0..<Int32(model.typeCount)).map { TypeModel.TypeID(index: $0) }
        bases = types.map { model.base(of: $0)?.index ?? -1 }
        primitives = types.map { model.isPrimitive($0) }
        elementType = model.elementType
        resourceType = model.resourceType
    }

    /// Returns the elements with the name that are not choices.
    func plain(_ name: String) -> Table? { plain[name] }

    /// Returns the choices with the name.
    func choice(_ name: String) -> Table? { choices[name] }

    /// Returns the members of choices with the name.
    func choiceMember(_ name: String) -> Table? { members[name] }

    /// Returns the element of a member's JSON name in a type.
    func member(_ key: String, of type: TypeModel.TypeID) -> Member? {
        var index = NameIndex.hash(key, type.index) & (slots.count - 1)
        while slots[index].type >= 0 {
            if slots[index].type == type.index, slots[index].name == key { return slots[index].member }
            index = (index + 1) & (slots.count - 1)
        }
        return nil
    }

    /// FNV-1a of the bytes: the names are few and known, and each name of a resource is looked up.
    private static func hash(_ key: String, _ type: Int32) -> Int {
        var hash: UInt32 = 2_166_136_261 ^ (UInt32(bitPattern: type) &* 0x9E37_79B1)
        for byte in key.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash ^ (hash >> 15))
    }

    func isPrimitive(_ type: TypeModel.TypeID) -> Bool { type.isKnown && primitives[Int(type.index)] }

    /// Whether a type is the other one or derived from it.
    func isSubtype(_ type: TypeModel.TypeID, of other: TypeModel.TypeID) -> Bool {
        var current = type.index
        while current >= 0 {
            if current == other.index { return true }
            current = bases[Int(current)]
        }
        return false
    }
}
