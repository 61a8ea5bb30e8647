import FHIR
import FHIRPath

/// A resource that definitions of items below an item fill.
struct DefinitionScope {
    /// An element that an item created, with its path in the resource. Items below write to it.
    struct Position {
        /// The elements from the resource on, each with its slice.
        let path: [DefinitionPath.Step]
        let draft: ElementDraft
    }

    let canonical: CanonicalURL
    let typeName: String
    let root: ElementDraft
    let profile: ProfileElements?
    /// The index of the entry.
    let entry: Int
    /// The elements that items above created, the outermost first; the resource itself is the first.
    var positions: [Position]
    /// The number of these elements that items above the current item created.
    var outer = 1

    /// Whether a definition names this resource. A version is compared if both have one.
    func isNamed(by other: CanonicalURL) -> Bool {
        guard canonical.url == other.url else { return false }
        guard let version = canonical.version, let named = other.version else { return true }
        return version == named
    }

    /// Returns the innermost element whose path begins the path, and is shorter.
    func position(for path: [DefinitionPath.Step]) -> Position? {
        var found: Position?
        for position in positions where position.path.count < path.count && path.starts(with: position.path) {
            if found.map({ $0.path.count <= position.path.count }) ?? true { found = position }
        }
        return found
    }
}

/// The reason why a definition cannot be written.
struct DefinitionFault: Error {
    let code: String
    let message: String
}

/// Writes values to the elements of a resource.
struct DefinitionWriter {
    private(set) var scope: DefinitionScope
    let unit: Coding?

    /// Creates the element of a group, with the missing levels above.
    func group(_ path: DefinitionPath) throws(DefinitionFault) -> [DefinitionScope.Position] {
        var (positions, parent, last, names) = try above(path)
        guard let type = last.type ?? permittedType(of: last, names) else {
            throw DefinitionFault(
                code: "definition-type-ambiguous", message: "The definition does not name the type of its element.")
        }
        guard !TypeModel.r4.isPrimitive(type) else {
            throw DefinitionFault(
                code: "definition-of-group", message: "The definition of a group names an element with a single value.")
        }
        let name = last.element.name
        if !last.element.isRepeated, let present = parent.drafts(of: name).first {
            positions.append(DefinitionScope.Position(path: names, draft: present))
            return positions
        }
        let draft = ElementDraft(type: type, slice: last.slice)
        parent.append(
            draft, key: last.key(type), name: name, order: last.order, isRepeated: last.element.isRepeated)
        positions.append(DefinitionScope.Position(path: names, draft: draft))
        return positions
    }

    /// Writes values.
    ///
    /// - Returns: the elements that were created above the values, and the element of each value.
    func write(
        _ values: [FHIRPathValue], _ path: DefinitionPath
    ) throws(DefinitionFault) -> (above: [DefinitionScope.Position], values: [DefinitionScope.Position]) {
        do throws(DefinitionFault) {
            return try writeOnce(values, path)
        } catch {
            // A value that another extension of the item has set begins a new element.
            guard error.code == Self.repeatedCode, scope.positions.count > scope.outer else { throw error }
            var writer = self
            writer.scope.positions = Array(scope.positions.prefix(scope.outer))
            return try writer.writeOnce(values, path)
        }
    }

    private static let repeatedCode = "element-repeated"

    private func writeOnce(
        _ values: [FHIRPathValue], _ path: DefinitionPath
    ) throws(DefinitionFault) -> (above: [DefinitionScope.Position], values: [DefinitionScope.Position]) {
        // Converted first, so that a wrong value creates no element.
        let target = try lastElement(of: path)
        guard values.count == 1 || target.element.isRepeated else {
            throw DefinitionFault(
                code: "several-values", message: "The element of the definition has one value, but there are several.")
        }
        var written: [(TypeModel.TypeID, JSON)] = []
        for value in values {
            let permitted = scope.profile?.types(of: scope.typeName, path.steps)
            let type =
                target.type
                ?? ElementConversion.choice(value, among: target.element.types, permitted: permitted, unit: unit)
            guard let type, let json = ElementConversion.json(value, as: type, unit: unit) else {
                throw DefinitionFault(
                    code: "value-type",
                    message: "The element of the definition cannot have a value of the type \(value.typeName).")
            }
            written.append((type, json))
        }
        let (positions, parent, last, path) = try above(path)
        let name = last.element.name
        if !last.element.isRepeated, let present = parent.drafts(of: name).first {
            guard present.value == nil, let (type, json) = written.first, present.type == type else {
                throw DefinitionFault(
                    code: Self.repeatedCode,
                    message: "The element of the definition has one value, and it has been set.")
            }
            present.value = json
            return (positions, [DefinitionScope.Position(path: path, draft: present)])
        }
        let drafts = written.map { type, json in
            let draft = ElementDraft(type: type, slice: last.slice)
            draft.value = json
            parent.append(
                draft, key: last.key(type), name: name, order: last.order, isRepeated: last.element.isRepeated)
            return DefinitionScope.Position(path: path, draft: draft)
        }
        return (positions, drafts)
    }

    // MARK: Path

    /// Returns the declaration of the last element, without creating any.
    private func lastElement(of path: DefinitionPath) throws(DefinitionFault) -> DefinedElement {
        let names = path.steps
        guard let start = scope.position(for: names) else { throw Self.unknown }
        var draft: ElementDraft? = start.draft
        var type = start.draft.type
        for (index, step) in names.enumerated().dropFirst(start.path.count) {
            guard let found = DefinedElement(step, of: type) else { throw Self.unknown }
            if index == names.count - 1 { return found }
            let present = found.element.isRepeated ? nil : draft?.drafts(of: found.element.name).first
            guard let next = found.type ?? present?.type ?? permittedType(of: found, Array(names[...index])) else {
                throw DefinitionFault(
                    code: "definition-type-ambiguous",
                    message: "The definition does not name the type of an element above its own.")
            }
            (type, draft) = (next, present)
        }
        throw Self.unknown
    }

    /// Creates the elements above the last one. An element with one value is used again. Of an element with several
    /// values a new one is created, unless the definition names a slice that has one value.
    private func above(
        _ path: DefinitionPath
    ) throws(DefinitionFault) -> (
        created: [DefinitionScope.Position], parent: ElementDraft, last: DefinedElement, names: [DefinitionPath.Step]
    ) {
        let names = path.steps
        guard let start = scope.position(for: names) else { throw Self.unknown }
        _ = try lastElement(of: path)
        var parent = start.draft
        var created: [DefinitionScope.Position] = []
        for (index, step) in names.enumerated().dropFirst(start.path.count) {
            guard let found = DefinedElement(step, of: parent.type) else { throw Self.unknown }
            if index == names.count - 1 { return (created, parent, found, names) }
            let path = Array(names[...index])
            let present = parent.drafts(of: found.element.name).first { draft in
                !found.element.isRepeated || (found.slice != nil && draft.slice == found.slice && !isRepeated(path))
            }
            if let present {
                parent = present
            } else {
                guard let type = found.type ?? permittedType(of: found, path) else { throw Self.unknown }
                let draft = ElementDraft(type: type, slice: found.slice)
                parent.append(
                    draft, key: found.key(type), name: found.element.name, order: found.order,
                    isRepeated: found.element.isRepeated)
                parent = draft
            }
            created.append(DefinitionScope.Position(path: path, draft: parent))
        }
        throw Self.unknown
    }

    private static let unknown = DefinitionFault(
        code: "definition-unknown", message: "The definition names an element that the type does not have.")

    /// Whether a slice may occur several times.
    private func isRepeated(_ path: [DefinitionPath.Step]) -> Bool {
        scope.profile?.isRepeated(scope.typeName, path) ?? false
    }

    /// Returns the type of a choice if the profile permits only one.
    private func permittedType(of found: DefinedElement, _ path: [DefinitionPath.Step]) -> TypeModel.TypeID? {
        if !found.element.isChoice { return found.element.types.first?.type }
        guard let types = scope.profile?.types(of: scope.typeName, path), types.count == 1 else { return nil }
        return TypeModel.r4.type(types[0])
    }
}
