import FHIR

/// The elements of a release of FHIR with their types and cardinalities.
///
/// The tables of DSTU2 and STU3 are built from text that `Scripts/generate-version-tables.py` writes (the format is
/// described there), that of R4 from `TypeModel`.
struct ElementTable: Sendable {
    /// One element below a path.
    struct Member: Sendable {
        /// The name without `[x]`.
        let name: String
        let isChoice: Bool
        /// Type codes; empty for an element with children of its own.
        let types: [String]
        /// The path of the children, for an element without a type.
        let children: String?
        let isRequired: Bool
        let isRepeated: Bool
        /// Whether the element may change the meaning of the element that contains it
        /// (<https://hl7.org/fhir/R4/conformance-rules.html#isModifier>).
        let isModifier: Bool
    }

    /// A member with its actual type.
    struct Typed: Sendable {
        let member: Member
        /// The path of the elements inside: the name of a data type or the path of a backbone element; nil for a
        /// primitive.
        let inside: String?
        /// The type's code; empty for a backbone element.
        let type: String

        var isPrimitive: Bool { inside == nil }
    }

    private var paths: [String: [Member]] = [:]
    /// The elements by their names in JSON.
    private var keys: [String: [String: Typed]] = [:]

    init() {}

    init(text: StaticString) {
        for line in text.description.split(separator: "\n") {
            var words = line.split(separator: " ")
            guard !words.isEmpty else { continue }
            let path = String(words.removeFirst())
            if let base = words.first, base.hasPrefix("^") {
                add(members(below: String(base.dropFirst())), below: path)
                words.removeFirst()
            }
            add(words.compactMap { ElementTable.member($0, below: path) }, below: path)
        }
    }

    mutating func add(_ members: [Member], below path: String) {
        paths[path, default: []] += members
        for member in members {
            if let children = member.children {
                keys[path, default: [:]][member.name] = Typed(member: member, inside: children, type: "")
            } else if !member.isChoice {
                keys[path, default: [:]][member.name] = ElementTable.typed(member, member.types.first ?? "string")
            } else if member.types != ["*"] {
                for type in member.types {
                    keys[path, default: [:]][member.name + ElementTable.suffix(type)] = ElementTable.typed(member, type)
                }
            }
        }
    }

    private static func member(_ word: Substring, below path: String) -> Member? {
        let parts = word.split(separator: ":")
        guard parts.count == 3 else { return nil }
        let isChoice = parts[0].hasSuffix("[x]")
        let name = String(isChoice ? parts[0].dropLast(3) : parts[0])
        let children: String? =
            parts[1] == ">" ? path + "." + name : parts[1].hasPrefix("@") ? String(parts[1].dropFirst()) : nil
        return Member(
            name: name, isChoice: isChoice,
            types: children == nil ? parts[1].split(separator: ",").map(String.init) : [],
            children: children, isRequired: parts[2].hasPrefix("1"), isRepeated: parts[2].contains("*"),
            isModifier: parts[2].hasSuffix("!"))
    }

    /// Whether the table describes the type or path.
    func describes(_ path: String) -> Bool { paths[path] != nil }

    /// Whether the table describes a resource of the type.
    func describesResource(_ type: String) -> Bool {
        keys[type]?["implicitRules"] != nil && type != "Resource" && type != "DomainResource"
    }

    /// The types of resources, in alphabetical order.
    var resourceTypes: [String] { paths.keys.filter(describesResource).sorted() }

    /// Every element below a path.
    func members(below path: String) -> [Member] { paths[path] ?? [] }

    /// Returns the element of a member of a JSON object, by its name (`valueQuantity` is a `value[x]`).
    func member(_ key: String, below path: String) -> Typed? {
        if let known = keys[path]?[key] { return known }
        // The value of an extension may have any type.
        guard let open = paths[path]?.first(where: { $0.types == ["*"] && $0.isChoice && key.hasPrefix($0.name) })
        else { return nil }
        let suffix = String(key.dropFirst(open.name.count))
        guard let first = suffix.first, first.isUppercase else { return nil }
        let lowered = first.lowercased() + suffix.dropFirst()
        return ElementTable.typed(open, ElementTable.primitives.contains(lowered) ? lowered : suffix)
    }

    /// Returns the choice element to which a name belongs, also if its type is not allowed there.
    func choice(_ key: String, below path: String) -> Member? {
        members(below: path).first { member in
            member.isChoice && key.hasPrefix(member.name)
                && (key.dropFirst(member.name.count).first?.isUppercase ?? false)
        }
    }

    private static func typed(_ member: Member, _ type: String) -> Typed {
        Typed(member: member, inside: isPrimitive(type) ? nil : type, type: type)
    }

    static func isPrimitive(_ type: String) -> Bool { type.first?.isLowercase ?? false }

    /// Returns the ending of a choice element's name for a type: `DateTime` for `dateTime`.
    static func suffix(_ type: String) -> String { (type.first?.uppercased() ?? "") + type.dropFirst() }

    static let primitives: Set<String> = [
        "base64Binary", "boolean", "canonical", "code", "date", "dateTime", "decimal", "id", "instant", "integer",
        "markdown", "oid", "positiveInt", "string", "time", "unsignedInt", "uri", "url", "uuid",
    ]
}
