import FHIR
import FHIRPath

/// Assigns elements to the slices of a profile (<https://hl7.org/fhir/R4/profiling.html#slicing>).
extension ValidationWalk {
    /// Assigns the elements to the slices, then checks each slice (<https://hl7.org/fhir/R4/profiling.html#slicing>).
    mutating func slices(
        _ node: ProfileNode, slicing: ProfileNode.Slicing?, items: [Item], inherited: [ProfileNode]
    ) {
        var found = Array(repeating: 0, count: node.slices.count)
        var lastSlice = -1
        var sawUnmatched = false
        for item in items {
            let index = node.slices.firstIndex { slice in belongs(item, to: slice, of: node, slicing: slicing) }
            guard let index else {
                sawUnmatched = true
                if slicing?.rules == .closed {
                    inside(item.step) {
                        $0.error(
                            .structure, code: "closed-slicing",
                            message:
                                "The profile allows only the slices \(node.slices.compactMap(\.sliceName).joined(separator: ", ")) here, and this is not one of them: remove or correct it."
                        )
                    }
                }
                continue
            }
            if slicing?.rules == .openAtEnd && sawUnmatched {
                inside(item.step) {
                    $0.error(
                        .structure, code: "slice-order",
                        message: "An element without a slice must follow the slices: move it to the end.")
                }
            }
            if slicing?.isOrdered == true && index < lastSlice {
                inside(item.step) {
                    $0.error(
                        .structure, code: "slice-order",
                        message: "The slices must be in the order of the profile: reorder them.")
                }
            }
            lastSlice = max(lastSlice, index)
            found[index] += 1
            let slice = node.slices[index]
            let bases = inherited.compactMap { base in base.slices.first { $0.sliceName == slice.sliceName } }
            inside(item.step) { $0.content(slice, item.element, bases: bases) }
        }
        for (index, slice) in node.slices.enumerated() {
            count(found[index], slice, what: ":" + (slice.sliceName ?? ""))
        }
    }

    /// Whether an element belongs to a slice: every discriminator matches.
    private func belongs(
        _ item: Item, to slice: ProfileNode, of node: ProfileNode, slicing: ProfileNode.Slicing?
    ) -> Bool {
        guard budget.spend() else { return false }
        guard let slicing, !slicing.discriminators.isEmpty else {
            // Without a slicing, a choice is sliced by its type, and extensions by their URL.
            if node.name == "extension" || node.name == "modifierExtension" {
                return hasURL(item.element, of: slice)
            }
            return isOfType(item.element, slice.types)
        }
        return slicing.discriminators.allSatisfy { discriminator in
            if discriminator.kind != .exists, discriminator.path == "url", item.element.type == model.extensionType {
                return hasURL(item.element, of: slice)
            }
            return matches(item, slice: slice, discriminator: discriminator)
        }
    }

    private func hasURL(_ element: TypedElement, of slice: ProfileNode) -> Bool {
        let url = element.value["url"]?.string
        if let fixed = slice.child("url")?.fixed?.string { return url == fixed }
        let urls = slice.types.flatMap(\.profiles).map { CanonicalURL($0).url }
        if urls.isEmpty { return url == slice.sliceName }
        return url.map(urls.contains) ?? false
    }

    private func isOfType(_ element: TypedElement, _ rules: [ProfileNode.TypeRule]) -> Bool {
        rules.contains { rule in
            model.type(rule.code).map { element.type == $0 || model.isSubtype(element.type, of: $0) } ?? false
        }
    }

    private func matches(
        _ item: Item, slice: ProfileNode, discriminator: ProfileNode.Slicing.Discriminator
    ) -> Bool {
        let stated = ValidationWalk.statements(at: discriminator.path, of: slice)
        switch discriminator.kind {
        case .type where discriminator.path.hasSuffix("resolve()"):
            return targetTypes(item.element, discriminator.path).contains { type in
                stated.contains { isTarget(type, of: $0.node?.types ?? []) }
            }
        case .exists:
            let reached = reach(item.element, discriminator)
            return stated.allSatisfy { statement in
                guard let node = statement.node else { return true }
                return node.max == 0 ? reached.isEmpty : (node.min ?? 0) > 0 ? !reached.isEmpty : true
            }
        case .type:
            let reached = reach(item.element, discriminator)
            return stated.contains { statement in
                guard let types = statement.node?.types, !types.isEmpty else { return false }
                return reached.contains { isOfType($0, types) }
            }
        case .profile:
            let reached = reach(item.element, discriminator)
            let wanted = stated.flatMap { $0.node?.types ?? [] }.flatMap(\.profiles).compactMap { profiles.profile($0) }
            return reached.contains { element in wanted.contains { conforms(element, to: $0) } }
        case .value, .pattern:
            let reached = reach(item.element, discriminator)
            return stated.contains { statement in
                if let wanted = statement.value { return reached.contains { PatternMatch.matches($0.value, wanted) } }
                guard let node = statement.node, !node.isEmpty else { return false }
                return reached.contains { conforms($0, to: node) }
            }
        }
    }

    /// Returns the types of the references' targets at the path, as far as the reference or its target determines the
    /// type.
    private func targetTypes(_ element: TypedElement, _ path: String) -> [String] {
        let names = path.split(separator: ".").dropLast().filter { $0 != "$this" }.map(String.init)
        var found = [element]
        for name in names { found = found.flatMap { $0.children(name) } }
        return found.compactMap { reference in
            reference.value["reference"]?.string.flatMap { targetType($0) } ?? reference.value["type"]?.string
        }
    }

    private func isTarget(_ type: String, of rules: [ProfileNode.TypeRule]) -> Bool {
        rules.contains { rule in
            if rule.code == type { return true }
            return rule.targetProfiles.contains { url in
                profiles.profile(url)?.type == type
                    || (ValidationWalk.isCore(url) && url.hasSuffix("/" + type))
            }
        }
    }

    private func reach(_ element: TypedElement, _ discriminator: ProfileNode.Slicing.Discriminator) -> [TypedElement] {
        if discriminator.path == "$this" { return [element] }
        guard let compiled = discriminator.compiled,
            let found = try? compiled.evaluate(element, in: evaluationContext)
        else { return [] }
        return found.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The rules of a profile at a path: its node, and the value that is fixed there or in an ancestor.
    private struct Statement {
        var node: ProfileNode?
        var value: JSON?
    }

    /// Returns all rules of a slice at the path of a discriminator, including those of slices on the path.
    private static func statements(at path: String, of slice: ProfileNode) -> [Statement] {
        var found = [Statement(node: slice, value: slice.fixed ?? slice.pattern)]
        for part in path.split(separator: ".") {
            if part == "$this" || part == "resolve()" || part.hasPrefix("ofType(") { continue }
            if part.hasPrefix("extension("), let url = part.split(separator: "'").dropFirst().first.map(String.init) {
                found = found.flatMap { statement in
                    (statement.node?.child("extension")?.slices ?? [])
                        .filter { $0.types.flatMap(\.profiles).contains(url) || $0.child("url")?.fixed?.string == url }
                        .map { Statement(node: $0, value: $0.fixed ?? $0.pattern) }
                }
                continue
            }
            found = found.flatMap { below($0, String(part)) }
        }
        return found
    }

    private static func below(_ statement: Statement, _ name: String) -> [Statement] {
        var inherited = statement.value.flatMap { above in above[name] ?? above.array?.first?[name] }
        if let array = inherited?.array { inherited = array.first }
        guard let child = statement.node?.child(name) else { return [Statement(node: nil, value: inherited)] }
        let own = ([child] + child.slices).map { Statement(node: $0, value: $0.fixed ?? $0.pattern ?? inherited) }
        // If a slice has more rules than the element itself, the element without rules is ignored.
        let withRules = own.filter { $0.value != nil || $0.node?.children.isEmpty == false }
        return withRules.isEmpty ? own : withRules
    }
}
