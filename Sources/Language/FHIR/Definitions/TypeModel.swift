/// The types of FHIR R4 4.0.1 with their elements, identified by numbers that index arrays.
///
/// Generated from HL7's definitions (<https://hl7.org/fhir/R4/downloads.html>) and read at first use. It drives
/// FHIRPath navigation, validation and the XML format.
public struct TypeModel: Sendable {
    /// The model of R4.
    public static let r4 = TypeModel(reading: r4Structures)

    /// The number of a type in the tables.
    public struct TypeID: Hashable, Sendable {
        /// The number, from 0; -1 for the unknown type.
        public let index: Int32

        /// The type of an element that the tables do not define.
        public static let unknown = TypeID(index: -1)

        /// Creates the identifier of a number.
        public init(index: Int32) { self.index = index }

        /// Whether the tables contain the type.
        public var isKnown: Bool { index >= 0 }
        var position: Int { Int(index) }
    }

    /// Kind of a type.
    public enum Kind: UInt8, Sendable {
        /// One value, with an id and extensions in a sibling member: `date`.
        case primitive
        /// A data type with elements: `HumanName`, `Age`; also `Element` itself.
        case complex
        /// Elements inside one resource or data type: `Observation.component`.
        case backbone
        /// A resource: `Patient`.
        case resource
    }

    /// Strength of an element's binding to a value set (<https://hl7.org/fhir/R4/terminologies.html#strength>).
    public enum BindingStrength: UInt8, Sendable {
        /// Other codes may be used.
        case preferred
        /// Another code may be used if no code of the value set fits.
        case extensible
        /// Only codes of the value set may be used.
        case required
    }

    /// One type that an element may have.
    public struct Target: Sendable {
        /// The type.
        public let type: TypeID
        /// For a `Reference` or `canonical`: the names of the resource types that it may refer to; empty for any.
        public let targets: [String]
    }

    /// The declaration of an element.
    public struct Element: Sendable {
        /// The name without `[x]`.
        public let name: String
        /// The path, such as `Observation.value[x]`, in the type that declares the element.
        public let path: String
        /// Whether the name ends in `[x]` and the element has one of several types.
        public let isChoice: Bool
        /// Minimum number of values.
        public let min: Int
        /// Maximum number of values; `Int.max` for `*`.
        public let max: Int
        /// The types: one, or several for a choice.
        public let types: [Target]
        /// Whether the element changes the meaning of the element that contains it.
        public let isModifier: Bool
        /// Whether the element is part of a summary.
        public let isSummary: Bool
        /// Whether XML writes it as an attribute.
        public let isAttribute: Bool
        /// The strength and the number of the value set to which it is bound, including preferred bindings.
        public let binding: (strength: BindingStrength, valueSet: Int)?

        /// Whether JSON writes it as an array.
        public var isRepeated: Bool { max > 1 }
    }

    struct Entry: Sendable {
        let name: String
        let kind: Kind
        let isAbstract: Bool
        let base: TypeID
        /// Indices into `declared`, inherited ones first.
        var elements: [Int32]
        /// The range of the type's keys in `slots`. Its length is a power of two.
        var slots: Range<Int> = 0..<0
    }

    /// One JSON name of one type.
    struct Slot: Sendable {
        let key: String
        let hash: UInt32
        /// -1: an empty slot.
        let element: Int32
        let type: TypeID
    }

    var entries: [Entry] = []
    var declared: [Element] = []
    var slots: [Slot] = []
    var names: [String: TypeID] = [:]

    /// The type `Element`. It and the following types are stored for hot loops.
    public internal(set) var elementType = TypeID.unknown
    /// The type `Extension`.
    public internal(set) var extensionType = TypeID.unknown
    /// The type `Resource`.
    public internal(set) var resourceType = TypeID.unknown
    /// The type `DomainResource`.
    public internal(set) var domainResourceType = TypeID.unknown
    /// The type `Reference`.
    public internal(set) var referenceType = TypeID.unknown

    init() {}
}

extension TypeModel {
    /// Returns the type with the name: `Patient`, `HumanName`, `code`, `Observation.component`.
    public func type(_ name: String) -> TypeID? { names[name] }

    /// Number of types; they are numbered from 0.
    public var typeCount: Int { entries.count }

    /// Number of declared elements; they are numbered from 0.
    public var elementCount: Int { declared.count }

    /// Returns the type's name; empty for the unknown type.
    public func name(of type: TypeID) -> String { type.isKnown ? entries[type.position].name : "" }

    /// Returns the kind of a type; complex for the unknown type.
    public func kind(of type: TypeID) -> Kind { type.isKnown ? entries[type.position].kind : .complex }

    /// Returns whether a type is a primitive; false for the unknown type.
    public func isPrimitive(_ type: TypeID) -> Bool { type.isKnown && entries[type.position].kind == .primitive }

    /// Whether no element has this type itself, only types derived from it.
    public func isAbstract(_ type: TypeID) -> Bool { type.isKnown && entries[type.position].isAbstract }

    /// Returns the type from which this one is derived: `string` for `code`, `DomainResource` for `Patient`.
    public func base(of type: TypeID) -> TypeID? {
        guard type.isKnown, entries[type.position].base.isKnown else { return nil }
        return entries[type.position].base
    }

    /// Whether a type is the other one or derived from it.
    public func isSubtype(_ type: TypeID, of other: TypeID) -> Bool {
        var current = type
        while current.isKnown {
            if current == other { return true }
            current = entries[current.position].base
        }
        return false
    }

    /// Returns a type's elements in the order of the definition, those of its base first.
    public func elements(of type: TypeID) -> [Element] {
        type.isKnown ? entries[type.position].elements.map { declared[Int($0)] } : []
    }

    /// Returns the element by its name without `[x]`, the name in FHIRPath.
    public func element(named name: String, of type: TypeID) -> Element? {
        elementIndex(named: name, of: type).map { declared[Int($0)] }
    }

    /// Returns the number of the element by its name without `[x]`.
    public func elementIndex(named name: String, of type: TypeID) -> Int32? {
        guard type.isKnown else { return nil }
        if let slot = slot(name, of: type), !declared[Int(slot.element)].isChoice { return slot.element }
        // Only choices are missing from the slots under their plain name.
        return entries[type.position].elements.first { declared[Int($0)].isChoice && declared[Int($0)].name == name }
    }

    /// Returns the declaration with the number.
    public func declaration(_ index: Int32) -> Element { declared[Int(index)] }

    /// Returns the numbers of a type's elements, in order.
    public func elementIndices(of type: TypeID) -> [Int32] { type.isKnown ? entries[type.position].elements : [] }

    /// Returns the element of a JSON name without a leading `_`, and its type: `valueQuantity` is `value[x]` as a
    /// `Quantity`.
    public func member(_ key: String, of type: TypeID) -> (element: Element, type: TypeID)? {
        memberIndex(key, of: type).map { (declared[Int($0.element)], $0.type) }
    }

    /// Returns the number of the element and its type, as in ``member(_:of:)``.
    public func memberIndex(_ key: String, of type: TypeID) -> (element: Int32, type: TypeID)? {
        slot(key, of: type).map { ($0.element, $0.type) }
    }

    /// The names of all concrete resource types, in alphabetical order.
    public var resourceTypes: [String] {
        entries.filter { $0.kind == .resource && !$0.isAbstract }.map(\.name).sorted()
    }

    private func slot(_ key: String, of type: TypeID) -> Slot? {
        guard type.isKnown else { return nil }
        let range = entries[type.position].slots
        guard !range.isEmpty else { return nil }
        let hash = TypeModel.hash(key)
        var offset = Int(hash) & (range.count - 1)
        while true {
            let slot = slots[range.lowerBound + offset]
            if slot.element < 0 { return nil }
            if slot.hash == hash && slot.key == key { return slot }
            offset = (offset + 1) & (range.count - 1)
        }
    }

    /// FNV-1a of the bytes: the names are few and known, and a lookup of each JSON name must be fast.
    static func hash(_ key: String) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in key.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash ^ (hash >> 15)
    }
}
