import FHIR

/// The elements of a profile that add values to an extracted resource: fixed values, patterns, slices and types.
struct ProfileElements {
    /// One element of a profile (<https://hl7.org/fhir/R4/elementdefinition.html>).
    struct Entry {
        let id: String
        /// The name without `[x]`.
        let name: String
        let slice: String?
        let min: Int
        let isRepeated: Bool
        /// The names of the types; empty if the profile does not restrict them.
        let types: [String]
        /// The profile of an extension.
        let profile: String?
        let fixed: (type: String, value: JSON)?
        let pattern: (type: String, value: JSON)?
    }

    let canonical: CanonicalURL
    private var children: [String: [Entry]] = [:]
    private var byID: [String: Entry] = [:]
    /// Maximum number of elements of a profile.
    private static let limit = 20_000
    /// Maximum nesting of elements that are created.
    private static let depth = 20

    init(_ definition: StructureDefinition, canonical: CanonicalURL) {
        self.canonical = canonical
        let elements =
            definition.object["snapshot"]?["element"]?.array ?? definition.object["differential"]?["element"]?.array
            ?? []
        for element in elements.prefix(Self.limit) {
            guard let element = element.object, let id = element["id"]?.string ?? element["path"]?.string,
                let point = id.lastIndex(of: ".")
            else { continue }
            let parts = id[id.index(after: point)...].split(separator: ":", maxSplits: 1)
            guard let first = parts.first else { continue }
            let types = element["type"]?.array ?? []
            let entry = Entry(
                id: id, name: String(first.hasSuffix("[x]") ? first.dropLast(3) : first),
                slice: parts.count > 1 ? String(parts[1]) : nil, min: element["min"]?.integer ?? 0,
                isRepeated: element["max"]?.string.map { $0 != "1" && $0 != "0" } ?? true,
                types: types.compactMap { $0["code"]?.string },
                profile: types.first?["profile"]?[0]?.string, fixed: element.choice("fixed"),
                pattern: element.choice("pattern"))
            if byID[id] == nil { children[String(id[..<point]), default: []].append(entry) }
            byID[id] = entry
        }
    }

    /// Returns the names of the types that the profile permits for an element; nil if it does not name the element.
    func types(of root: String, _ path: [DefinitionPath.Step]) -> [String]? {
        guard let entry = entry(root, path), !entry.types.isEmpty else { return nil }
        return entry.types
    }

    /// Whether the profile permits several values of an element.
    func isRepeated(_ root: String, _ path: [DefinitionPath.Step]) -> Bool { entry(root, path)?.isRepeated ?? false }

    private func entry(_ root: String, _ path: [DefinitionPath.Step]) -> Entry? {
        var id = root
        var found: Entry?
        for step in path {
            let named = children[id]?.filter { $0.name == step.name } ?? []
            guard let next = named.first(where: { $0.slice == step.slice }) ?? named.first else { return nil }
            (id, found) = (next.id, next)
        }
        return found
    }

    // MARK: Values

    /// Adds the fixed values and patterns of the elements that a resource has or must have.
    func complete(_ draft: ElementDraft, root: String, budget: StepBudget) {
        complete(draft, id: root, level: 0, budget: budget)
    }

    private func complete(_ draft: ElementDraft, id: String, level: Int, budget: StepBudget) {
        guard level < Self.depth, let entries = children[id] else { return }
        for entry in entries {
            guard budget.spend() else { return }
            let step = DefinitionPath.Step(name: entry.name, slice: entry.slice)
            guard let found = DefinedElement(step, of: draft.type) else { continue }
            var drafts = draft.drafts(of: entry.name)
            if let slice = found.slice { drafts = drafts.filter { $0.slice == slice } }
            if found.slice == nil, let type = found.type, found.element.isChoice {
                drafts = drafts.filter { $0.type == type }
            }
            if drafts.isEmpty, entry.min > 0, hasRequiredValue(entry, level: level),
                let made = made(entry, found, in: draft, level: level, budget: budget)
            {
                drafts = [made]
            }
            for one in drafts {
                if let fixed = entry.fixed ?? entry.pattern, one.isEmpty || entry.pattern != nil {
                    one.value = Self.merged(fixed.value, into: one.value)
                }
                if one.type == TypeModel.r4.extensionType, let url = entry.profile, one.value?["url"] == nil,
                    one.drafts(of: "url").isEmpty, entry.slice != nil
                {
                    one.value = Self.merged(["url": .string(url)], into: one.value)
                }
                complete(one, id: entry.id, level: level + 1, budget: budget)
            }
        }
    }

    /// Whether the element, or an element that it must have, has a fixed value or a pattern.
    private func hasRequiredValue(_ entry: Entry, level: Int) -> Bool {
        if entry.fixed != nil || entry.pattern != nil { return true }
        guard level < Self.depth else { return false }
        return (children[entry.id] ?? []).contains { $0.min > 0 && hasRequiredValue($0, level: level + 1) }
    }

    /// Creates a required element; nil if the resource already has one with the same values.
    private func made(
        _ entry: Entry, _ found: DefinedElement, in draft: ElementDraft, level: Int, budget: StepBudget
    ) -> ElementDraft? {
        let model = TypeModel.r4
        let named = entry.fixed?.type ?? entry.pattern?.type
        let ofValue = found.element.types.map(\.type).first {
            let name = model.name(of: $0)
            return name == named || name.prefix(1).uppercased() + name.dropFirst() == named
        }
        let single = found.element.types.count == 1 ? found.element.types.first?.type : nil
        let ofProfile = entry.types.count == 1 ? model.type(entry.types[0]) : nil
        guard let type = found.type ?? ofValue ?? ofProfile ?? single else { return nil }
        if !found.element.isRepeated, !draft.drafts(of: entry.name).isEmpty { return nil }
        let made = ElementDraft(type: type, slice: found.slice)
        if let value = entry.fixed ?? entry.pattern { made.value = value.value }
        complete(made, id: entry.id, level: level + 1, budget: budget)
        guard let json = made.json else { return nil }
        if draft.drafts(of: entry.name).contains(where: { $0.json.map { Self.contains($0, json) } ?? false }) {
            return nil
        }
        draft.append(
            made, key: found.key(type), name: entry.name, order: found.order, isRepeated: found.element.isRepeated)
        return made
    }

    /// Returns a value with the members of another one that it does not have.
    private static func merged(_ added: JSON, into value: JSON?) -> JSON {
        guard let value else { return added }
        guard case .object(var object) = value, let members = added.object?.members else { return value }
        for member in members {
            object[member.key] = merged(member.value, into: object[member.key])
        }
        return .object(object)
    }

    /// Whether a value has all members of another one.
    private static func contains(_ value: JSON, _ part: JSON) -> Bool {
        switch (value, part) {
        case (.object(let object), .object(let wanted)):
            wanted.members.allSatisfy { member in object[member.key].map { contains($0, member.value) } ?? false }
        case (.array(let elements), .array(let wanted)):
            wanted.allSatisfy { one in elements.contains { contains($0, one) } }
        default: value == part
        }
    }
}
