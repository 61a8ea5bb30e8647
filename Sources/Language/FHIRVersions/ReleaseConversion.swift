import FHIR

/// One conversion of a resource of an older release.
///
/// 1. Members with a rule are passed to it (``ConversionRule``).
/// 2. Members that R4 has under the same name are copied; types and cardinalities are adjusted by the element tables.
/// 3. Other members are put into a cross-version extension, or into the notes if no table defines them.
/// 4. Changes that depend on the whole element are made (``ConversionFinish``): codes that are different in R4, and
/// elements that R4 does not allow together.
/// 5. Missing elements that R4 requires are supplied (``ConversionDefault``).
struct ReleaseConversion {
    let version: FHIRVersion
    let source: ElementTable
    let target = ElementTable.r4
    private(set) var notes: [ConversionNote] = []
    private var uniqueNotes: Set<ConversionNote> = []
    /// The resource that is being converted, for rules that depend on more than their element.
    private(set) var current = JSONObject()
    /// The resources that the conversion adds to the contained ones, and the ids that are already used.
    private var contained: [JSON] = []
    private var names = ContainedNames()
    /// For each enclosing Bundle, innermost last: the URLs of its entries that change, with their new URLs.
    private var entryURLs: [[String: String]] = []
    /// Whether the resource's type has no rules of its own.
    private(set) var isByStructure = false
    private var unnamed = 0
    /// The linkIds of the resource that have the form of the linkIds that are generated here; nil until they are
    /// needed.
    private var linkIDs: Set<String>?
    /// One step is spent for each element. When no steps remain, the conversion stops.
    let budget: StepBudget

    init(from version: FHIRVersion, budget: StepBudget = .unlimited) {
        self.version = version
        self.budget = budget
        source = version == .dstu2 ? .dstu2 : .stu3
    }

    // MARK: Resources

    /// Converts a resource and its contained resources.
    mutating func resource(_ object: JSONObject, at trail: ConversionTrail? = nil) -> JSONObject {
        let outer = (contained: contained, names: names)
        contained = []
        names = ContainedNames(of: object)
        defer { (contained, names) = outer }
        var output = inner(object, at: trail)
        if !contained.isEmpty { output["contained"] = .array((output["contained"]?.array ?? []) + contained) }
        return output
    }

    /// Converts a resource without the resources that the conversion adds, which belong to the enclosing resource.
    mutating func inner(_ object: JSONObject, at trail: ConversionTrail? = nil) -> JSONObject {
        var object = object
        var type = object["resourceType"]?.string ?? ""
        let trail = trail ?? .root(type)
        if type == "QuestionnaireAnswers" {
            type = "QuestionnaireResponse"
            object["resourceType"] = .string(type)
            addNote(
                .changed, path: "QuestionnaireAnswers", detail: "the older name of QuestionnaireResponse",
                at: trail.member("resourceType"))
        }
        guard let newer = ResourceNames.newer(type, in: source) else {
            addNote(
                .untouched, path: type.isEmpty ? "Resource" : type, detail: "the release has no resources of this type",
                at: trail)
            return object
        }
        let outer = (current: current, isByStructure: isByStructure, linkIDs: linkIDs)
        let bundles = entryURLs.count
        defer {
            (current, isByStructure, linkIDs) = outer
            entryURLs.removeLast(entryURLs.count - bundles)
        }
        current = object
        linkIDs = nil
        isByStructure = !FHIRConversion.resourceTypes.contains(type) && !FHIRConversion.containedTypes.contains(type)
        if type == "Bundle" {
            let urls = renamedEntries(object)
            if !urls.isEmpty { entryURLs.append(urls) }
        }
        if isByStructure { addNote(.changed, path: type, detail: "it is converted by structure only", at: trail) }
        if newer == "Basic", type != newer {
            addNote(
                .changed, path: type, detail: "R4 has no such resource: it is a Basic", at: trail.member("resourceType")
            )
        } else if newer != type {
            addNote(.changed, path: type, detail: "R4's name is \(newer)", at: trail.member("resourceType"))
        }
        var output = element(object, from: type, to: newer, at: trail)
        output.set("resourceType", .string(newer), at: 0)
        if newer == "Basic", type != newer { output.set("code", ["text": .string(type)], at: output.count) }
        return output
    }

    /// Returns the new URL of an entry of an enclosing Bundle; nil if it is unchanged.
    func entryURL(_ url: String) -> String? { entryURLs.reversed().lazy.compactMap { $0[url] }.first }

    /// Returns the URLs of entries whose resource types have another name in R4.
    private func renamedEntries(_ bundle: JSONObject) -> [String: String] {
        var urls: [String: String] = [:]
        for entry in bundle["entry"]?.array ?? [] {
            guard let url = entry["fullUrl"]?.string, let type = entry["resource"]?["resourceType"]?.string,
                ResourceNames.newer(type, in: source) != nil, url.contains("/\(type)/"),
                let newer = ResourceNames.renamed(
                    url: url.components(before: "/_history/"), in: source, isAbsolute: true)
            else { continue }
            urls[url] = newer.text
        }
        return urls
    }

    /// Adds a resource to the contained ones of the outermost resource.
    ///
    /// - Returns: the id of the added resource.
    mutating func contain(_ object: JSONObject, id wanted: String) -> String {
        let id = names.free(like: wanted)
        var object = object
        object.set("id", .string(id), at: 1)
        contained.append(.object(object))
        return id
    }

    // MARK: Elements

    /// Converts an object into the R4 element at a path.
    mutating func element(
        _ object: JSONObject, from: String, to: String, at trail: ConversionTrail
    ) -> JSONObject {
        var output = ConversionOutput()
        guard budget.spend(1 + object.count) else { return output.object }
        let context = ConversionContext(object: object, from: from, to: to, trail: trail)
        for part in ConversionPart.parts(of: object, at: trail) where part.key != "resourceType" {
            let part = plain(part, context)
            let name = source.choice(part.key, below: from)?.name ?? part.key
            if let rule = ConversionRule.rule(version, from + "." + name) {
                rule(part, context, &output, &self)
            } else if isByStructure {
                keepByStructure(part, in: context, into: &output)
            } else {
                keep(part, as: part.key, in: context, into: &output)
            }
        }
        ConversionFinish.finish(context, output: &output, conversion: &self)
        supply(context, &output)
        return output.finished
    }

    /// Returns the part without a sibling if its type is not primitive.
    private mutating func plain(_ part: ConversionPart, _ context: ConversionContext) -> ConversionPart {
        let known = source.member(part.key, below: context.from) ?? target.member(part.key, below: context.to)
        guard part.sibling != nil, let known, !known.isPrimitive else { return part }
        addNote(
            .leftOut, path: context.from + "._" + part.key, detail: "only primitive values have such a member",
            at: context.trail.member("_" + part.key))
        return ConversionPart(key: part.key, value: part.value, sibling: nil, trail: part.trail)
    }

    /// Puts a part under a name of R4 if its type fits; otherwise into an extension.
    mutating func keep(
        _ part: ConversionPart, as key: String, in context: ConversionContext, into output: inout ConversionOutput
    ) {
        let known = source.member(part.key, below: context.from)
        guard let wanted = target.member(key, below: context.to),
            known.map({ ReleaseConversion.fits($0, wanted) }) ?? true,
            wanted.member.isRepeated || !isTaken(key, member: wanted.member, in: output)
        else {
            carry(part, in: context, into: &output)
            return
        }
        let inside = (from: known?.inside ?? wanted.inside ?? "", to: wanted.inside)
        let path = context.from + "." + part.key
        var values: [(value: JSON, sibling: JSON)] = []
        let pairs = part.pairs
        guard budget.spend(pairs.count) else { return }
        for pair in pairs {
            if !wanted.member.isRepeated, !values.isEmpty {
                carry(surplus: pair, of: known ?? wanted, key: part.key, in: context, into: &output)
                continue
            }
            let converted = value(pair.value, inside: inside, type: wanted.type, path: path, at: pair.trail)
            let rest = sibling(pair.sibling, at: pair.trail)
            if converted == nil, pair.value != .null { addFormNote(path, at: pair.trail) }
            if converted != nil || rest != .null { values.append((converted ?? .null, rest)) }
        }
        guard let first = values.first else { return }
        if wanted.member.isRepeated {
            output.append(values, to: key)
        } else {
            output.set(key, to: first.value, sibling: first.sibling)
        }
    }

    /// Whether the output already has the member, or another type of the same choice.
    func isTaken(_ key: String, member: ElementTable.Member, in output: ConversionOutput) -> Bool {
        guard member.isChoice else { return output.has(key) }
        return output.object.members.contains { present in
            let name = present.key.hasPrefix("_") ? present.key.dropFirst() : present.key[...]
            return name.hasPrefix(member.name) && (name.dropFirst(member.name.count).first?.isUppercase ?? false)
        }
    }

    /// Returns one value as the R4 type; nil if it does not have the form of the type.
    mutating func value(
        _ value: JSON, inside: (from: String, to: String?), type: String, path: String, at trail: ConversionTrail
    ) -> JSON? {
        guard let to = inside.to else {
            guard let (written, reason) = PrimitiveRepair.written(value, type: type) else { return nil }
            if let reason { addNote(.changed, path: path, detail: reason, at: trail) }
            return written
        }
        guard let object = value.object, !object.isEmpty else { return nil }
        if to == "Resource" { return .object(resource(object, at: trail)) }
        // A type without a table is the same in all releases, as far as this conversion needs it.
        guard target.describes(to) else { return value }
        let from = source.describes(inside.from) ? inside.from : to
        let converted = element(object, from: from, to: to, at: trail)
        return converted.isEmpty ? nil : .object(converted)
    }

    /// Converts an object of a data type that has the same name in all releases.
    mutating func value(_ value: JSON, as type: String, at trail: ConversionTrail) -> JSON? {
        self.value(value, inside: (from: type, to: type), type: type, path: type, at: trail)
    }

    /// Converts the extensions in the `_name` sibling of a primitive.
    mutating func sibling(_ sibling: JSON, at trail: ConversionTrail) -> JSON {
        guard sibling != .null else { return .null }
        guard let object = sibling.object else {
            addFormNote("Element", at: trail)
            return .null
        }
        let output = element(object, from: "Element", to: "Element", at: trail)
        return output.isEmpty ? .null : .object(output)
    }

    // MARK: Notes

    mutating func addNote(_ kind: ConversionNote.Kind, path: String, detail: String = "", at trail: ConversionTrail) {
        guard budget.spend() else { return }
        let note = ConversionNote(kind, path: path, detail: detail, location: trail.text)
        if uniqueNotes.insert(note).inserted { notes.append(note) }
    }

    /// Adds a note about a value that is left out because it does not have the form of its type.
    mutating func addFormNote(_ path: String, at trail: ConversionTrail) {
        // If nothing of an element was kept, each part of it already has a note.
        guard !budget.isExhausted else { return }
        if let last = notes.last, last.kind == .leftOut, last.location.hasPrefix(trail.text + ".") { return }
        addNote(.leftOut, path: path, detail: "the value does not have the form of its type", at: trail)
    }

    /// Returns a linkId for a group or question without one.
    mutating func nextLinkID() -> String {
        var taken = linkIDs ?? []
        if linkIDs == nil {
            ReleaseConversion.collect(.object(current), &taken)
            linkIDs = taken
        }
        while true {
            unnamed += 1
            let id = ReleaseConversion.unnamed + String(unnamed)
            if !taken.contains(id) { return id }
        }
    }

    private static let unnamed = "unnamed-"

    /// Collects the linkIds in the value that have the prefix of generated ones.
    private static func collect(_ json: JSON, _ linkIDs: inout Set<String>) {
        switch json {
        case .array(let values): for value in values { collect(value, &linkIDs) }
        case .object(let object):
            if let id = object["linkId"]?.string, id.hasPrefix(unnamed) { linkIDs.insert(id) }
            for member in object.members { collect(member.value, &linkIDs) }
        default: break
        }
    }

    /// Whether a value of the older type is also a value of the newer one.
    static func fits(_ known: ElementTable.Typed, _ wanted: ElementTable.Typed) -> Bool {
        if known.member.children != nil || wanted.member.children != nil {
            return known.member.children != nil && wanted.member.children != nil
        }
        if known.isPrimitive != wanted.isPrimitive { return false }
        return known.isPrimitive || known.type == wanted.type
            || (quantities.contains(known.type) && quantities.contains(wanted.type))
    }

    private static let quantities: Set<String> = ["Quantity", "Age", "Count", "Distance", "Duration"]
}
