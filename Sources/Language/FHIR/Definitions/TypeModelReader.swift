/// Reads the text of the type tables.
///
/// The text is a list of words. A record begins with `=KIND NAME BASE`: the kind is `p`rimitive, `c`omplex, `b`ackbone
/// or `r`esource, followed by `!` for an abstract type. The next words are the elements that the base does not have:
/// `name:types:cardinality:flags[:binding]`.
///
/// - types: separated by commas, `*` for every data type, `>B` or `>E` for elements that have a record of their own
///   (`B`ackboneElement, `E`lement), `@path` for an element that is defined elsewhere; targets in parentheses
/// - cardinality: the digits of the minimum, then of the maximum (`01`, `1*`)
/// - flags: `m`odifier, `s`ummary, XML `a`ttribute
/// - binding: `r`equired, `e`xtensible or `p`referred, with the value set's number
struct TypeModelReader {
    private var model = TypeModel()
    /// The types of an open choice; nil until they are known.
    private var openTargets: [TypeModel.Target]?
    /// Elements whose types are not parsed yet.
    private var pending: [(owner: Int, word: Substring)] = []

    static func read(_ text: StaticString) -> TypeModel {
        var reader = TypeModelReader()
        reader.types(text.description)
        reader.elements()
        reader.keys()
        return reader.model
    }

    // MARK: 1. Names and bases of all types

    private mutating func types(_ text: String) {
        // Splits by bytes: the text is ASCII, and splitting by characters would take nearly all of the time.
        var words = text.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { Substring($0) }[...]
        while let word = words.popFirst() {
            guard word.utf8.first == UInt8(ascii: "="), let name = words.popFirst() else {
                pending.append((model.entries.count - 1, word))
                continue
            }
            let kind: TypeModel.Kind =
                switch word.dropFirst().first {
                case "p": .primitive
                case "b": .backbone
                case "r": .resource
                default: .complex
                }
            var base = TypeModel.TypeID.unknown
            if let next = words.first, next.utf8.first != UInt8(ascii: "="), !next.utf8.contains(UInt8(ascii: ":")) {
                base = model.names[String(next)] ?? .unknown
                words.removeFirst()
            }
            let id = TypeModel.TypeID(index: Int32(model.entries.count))
            model.names[String(name)] = id
            model.entries.append(
                TypeModel.Entry(
                    name: String(name), kind: kind, isAbstract: word.hasSuffix("!"), base: base, elements: []))
        }
        model.elementType = model.names["Element"] ?? .unknown
        model.extensionType = model.names["Extension"] ?? .unknown
        model.resourceType = model.names["Resource"] ?? .unknown
        model.domainResourceType = model.names["DomainResource"] ?? .unknown
        model.referenceType = model.names["Reference"] ?? .unknown
    }

    // MARK: 2. Elements, which may name any type

    private mutating func elements() {
        openTargets = targets("*", owner: "", name: "")
        var own: [[Int32]] = Array(repeating: [], count: model.entries.count)
        for (owner, word) in pending where owner >= 0 {
            guard let element = element(word, of: model.entries[owner].name) else { continue }
            own[owner].append(Int32(model.declared.count))
            model.declared.append(element)
        }
        // A base precedes its derived types, so that one pass inherits all elements; backbone elements follow Element
        // and BackboneElement.
        for index in model.entries.indices {
            let base = model.entries[index].base
            model.entries[index].elements = (base.isKnown ? model.entries[base.position].elements : []) + own[index]
        }
    }

    private func element(_ word: Substring, of owner: String) -> TypeModel.Element? {
        let parts = word.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard parts.count >= 4 else { return nil }
        let isChoice = parts[0].utf8.last == UInt8(ascii: "]")
        let name = String(isChoice ? parts[0].dropLast(3) : parts[0])
        let limits = parts[2]
        let binding: (TypeModel.BindingStrength, Int)? =
            parts.count < 5
            ? nil
            : Int(parts[4].dropFirst()).map { number in
                switch parts[4].first {
                case "r": (.required, number)
                case "e": (.extensible, number)
                default: (.preferred, number)
                }
            }
        return TypeModel.Element(
            name: name, path: owner + "." + parts[0], isChoice: isChoice,
            min: limits.first?.wholeNumberValue ?? 0,
            max: limits.last == "*" ? .max : Int(limits.dropFirst()) ?? 1,
            types: targets(parts[1], owner: owner, name: name), isModifier: parts[3].utf8.contains(UInt8(ascii: "m")),
            isSummary: parts[3].utf8.contains(UInt8(ascii: "s")),
            isAttribute: parts[3].utf8.contains(UInt8(ascii: "a")), binding: binding)
    }

    private func targets(_ text: Substring, owner: String, name: String) -> [TypeModel.Target] {
        switch text.first {
        case ">": return [target(owner + "." + name)]
        case "@": return [target(String(text.dropFirst()))]
        case "*":
            if let openTargets { return openTargets }
            return model.entries.indices
                .filter { index in
                    let entry = model.entries[index]
                    return !entry.isAbstract && (entry.kind == .primitive || entry.kind == .complex)
                        && entry.name != "xhtml" && !TypeModelReader.notOpen.contains(entry.name)
                }
                .map { TypeModel.Target(type: TypeModel.TypeID(index: Int32($0)), targets: []) }
        default:
            return text.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }.map { word in
                guard let open = word.utf8.firstIndex(of: UInt8(ascii: "(")) else { return target(String(word)) }
                let names = word[open...].dropFirst().dropLast().split(separator: "|").map(String.init)
                return TypeModel.Target(type: model.names[String(word[..<open])] ?? .unknown, targets: names)
            }
        }
    }

    private func target(_ name: String) -> TypeModel.Target {
        TypeModel.Target(type: model.names[name] ?? .unknown, targets: [])
    }

    /// Data types that are not allowed in an open choice (<https://hl7.org/fhir/R4/datatypes.html#open>).
    private static let notOpen: Set<String> = [
        "ElementDefinition", "Extension", "MarketingStatus", "Narrative", "Population", "ProdCharacteristic",
        "ProductShelfLife", "SubstanceAmount",
    ]

    // MARK: 3. The JSON names of each type, hashed

    private mutating func keys() {
        let suffixes = model.entries.map { TypeModelReader.suffix($0.name) }
        for index in model.entries.indices {
            var keys: [TypeModel.Slot] = []
            for number in model.entries[index].elements {
                let element = model.declared[Int(number)]
                for target in element.types {
                    let key =
                        element.isChoice && target.type.isKnown
                        ? element.name + suffixes[target.type.position] : element.name
                    keys.append(
                        TypeModel.Slot(key: key, hash: TypeModel.hash(key), element: number, type: target.type))
                    if !element.isChoice { break }
                }
            }
            guard !keys.isEmpty else { continue }
            var size = 4
            while size < keys.count * 2 { size *= 2 }
            let start = model.slots.count
            let empty = TypeModel.Slot(key: "", hash: 0, element: -1, type: .unknown)
            model.slots += Array(repeating: empty, count: size)
            model.entries[index].slots = start..<start + size
            for slot in keys {
                var offset = Int(slot.hash) & (size - 1)
                while model.slots[start + offset].element >= 0 { offset = (offset + 1) & (size - 1) }
                model.slots[start + offset] = slot
            }
        }
    }

    /// Returns the ending of a choice element's name: `DateTime` for `dateTime`.
    private static func suffix(_ name: String) -> String { (name.first?.uppercased() ?? "") + name.dropFirst() }
}

extension TypeModel {
    init(reading text: StaticString) { self = TypeModelReader.read(text) }
}
