import FHIR

/// Which elements a release of FHIR has: their types and cardinalities.
///
/// Those of DSTU2 and STU3 are built from text that `Scripts/generate-version-tables.py` writes (the format is told
/// there), that of R4 from `TypeModel`.
struct ElementTable: Sendable {
    /// One element below a path.
    struct Member: Sendable {
        /// The name without `[x]`.
        let name: String
        let isChoice: Bool
        /// Type codes; empty for an element with children of its own.
        let types: [String]
        /// Where the children are described, for an element without a type.
        let children: String?
        let isRequired: Bool
        let isRepeated: Bool
        /// Whether it may change the meaning of what it stands in
        /// (<https://hl7.org/fhir/R4/conformance-rules.html#isModifier>).
        let isModifier: Bool
    }

    /// A member with the type that it has here.
    struct Typed: Sendable {
        let member: Member
        /// Where the elements inside are described: the name of a data type or the path of a backbone element;
        /// nil for a primitive.
        let inside: String?
        /// The type's code; empty for a backbone element.
        let type: String

        var isPrimitive: Bool { inside == nil }
    }

    private var paths: [String: [Member]] = [:]
    /// The elements by the names that JSON gives them.
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

    /// The element that a member of a JSON object is, by its name (`valueQuantity` is a `value[x]`).
    func member(_ key: String, below path: String) -> Typed? {
        if let known = keys[path]?[key] { return known }
        // An extension's value may be of any type.
        guard let open = paths[path]?.first(where: { $0.types == ["*"] && $0.isChoice && key.hasPrefix($0.name) })
        else { return nil }
        let suffix = String(key.dropFirst(open.name.count))
        guard let first = suffix.first, first.isUppercase else { return nil }
        let lowered = first.lowercased() + suffix.dropFirst()
        return ElementTable.typed(open, ElementTable.primitives.contains(lowered) ? lowered : suffix)
    }

    /// The choice element that a name belongs to even where its type is not allowed there.
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

    /// The ending of a choice element's name for a type: `dateTime` gives `DateTime`.
    static func suffix(_ type: String) -> String { (type.first?.uppercased() ?? "") + type.dropFirst() }

    static let primitives: Set<String> = [
        "base64Binary", "boolean", "canonical", "code", "date", "dateTime", "decimal", "id", "instant", "integer",
        "markdown", "oid", "positiveInt", "string", "time", "unsignedInt", "uri", "url", "uuid",
    ]
}
