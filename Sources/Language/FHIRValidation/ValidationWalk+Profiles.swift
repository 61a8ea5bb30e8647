import FHIR
import FHIRPath

extension ValidationWalk {
    /// An element with its step in the path.
    struct Item {
        let step: ElementPath.Step
        let element: TypedElement
    }

    /// Maximum nesting of profiles.
    static let maximumProfileDepth = 40

    /// Checks the profiles in the resource's `meta.profile`, and those that the caller requires.
    mutating func profileRules(_ object: JSONObject, _ element: TypedElement, named: [String]) {
        let claimed = (object["meta"]?["profile"]?.array ?? []).compactMap(\.string)
        var seen: Set<String> = []
        for url in named + claimed where seen.insert(url).inserted {
            guard let profile = profiles.profile(url) else {
                let plain = CanonicalURL(url).url
                if named.contains(url), Self.isCore(plain) {
                    coreType(String(plain.dropFirst(Self.corePrefix.count)), of: element)
                    continue
                }
                report(
                    .information, kind: .notFound, code: "unknown-profile",
                    message: "The profile \(url) was not supplied: its rules were not checked.")
                continue
            }
            conform(element, to: profile)
        }
    }

    /// Checks an element against a profile and the profiles from which it is derived.
    mutating func conform(_ element: TypedElement, to profile: Profile) {
        guard profileDepth < ValidationWalk.maximumProfileDepth else {
            error(
                .tooCostly, code: "profile-depth",
                message: "The profiles are nested too deeply: \(profile.url) was not checked.")
            return
        }
        let type = model.type(profile.type) ?? .unknown
        guard element.type == type || model.isSubtype(element.type, of: type) else {
            error(
                .invalid, code: "profile-type",
                message: "The profile \(profile.url) is for \(profile.type), but this is \(element.typeName).")
            return
        }
        profileDepth += 1
        defer { profileDepth -= 1 }
        let (chain, isCircular) = profiles.chain(of: profile)
        if isCircular {
            error(
                .invalid, code: "invalid-profile",
                message: "The profile \(profile.url) is derived from itself: correct its baseDefinition.")
        }
        for member in chain {
            for problem in member.problems {
                report(problem.severity, kind: problem.kind, code: problem.code, message: problem.message)
            }
            if !member.hasSnapshot, profiles.profile(member.base) == nil, !ValidationWalk.isCore(member.base) {
                error(
                    .notFound, code: "unknown-profile",
                    message: "\(member.url) is derived from \(member.base), which was not supplied: supply it, too."
                )
            }
            content(member.root, element, bases: chain.drop { $0.url != member.url }.dropFirst().map(\.root))
        }
    }

    private static let corePrefix = "http://hl7.org/fhir/StructureDefinition/"

    /// Whether a canonical URL is that of a type of R4.
    static func isCore(_ url: String) -> Bool {
        url.hasPrefix(corePrefix) && TypeModel.r4.type(String(url.dropFirst(corePrefix.count))) != nil
    }

    /// Checks a resource against a type of R4. All other rules of the type are always checked.
    private mutating func coreType(_ name: String, of element: TypedElement) {
        guard let type = model.type(name), element.type != type, !model.isSubtype(element.type, of: type) else {
            return
        }
        error(.invalid, code: "profile-type", message: "The profile is for \(name), but this is \(element.typeName).")
    }

    // MARK: One element

    /// Applies a node to one element. `bases` are the nodes of the base profiles, for slicings that only they define.
    mutating func content(_ node: ProfileNode, _ element: TypedElement, bases: [ProfileNode]) {
        guard !isFull else { return }
        types(node, element)
        values(node, element)
        if let binding = node.binding { bind(element, binding) }
        for constraint in node.constraints {
            invariant(
                constraint.key, expression: constraint.compiled, isError: constraint.isError,
                sentence: constraint.sentence, element: element)
        }
        for child in node.children {
            let items = self.items(child.name, of: element)
            children(child, items, of: element, bases: bases.compactMap { $0.child(child.name) })
        }
    }

    private mutating func types(_ node: ProfileNode, _ element: TypedElement) {
        guard !node.types.isEmpty, element.type.isKnown, path.steps.count > 0 else { return }
        let fitting = node.types.filter { rule in
            model.type(rule.code).map { element.type == $0 || model.isSubtype(element.type, of: $0) } ?? true
        }
        guard !fitting.isEmpty else {
            let names = node.types.map(\.code).joined(separator: ", ")
            error(
                .value, code: "profile-element-type",
                message: "The profile allows the types \(names) here: write one of them.")
            return
        }
        if element.type == model.referenceType { targets(fitting, element) }
        let wanted = fitting.flatMap(\.profiles).compactMap { profiles.profile($0) }
        guard !wanted.isEmpty, fitting.allSatisfy({ !$0.profiles.isEmpty }) else { return }
        if wanted.count == 1 {
            conform(element, to: wanted[0])
        } else if !wanted.contains(where: { conforms(element, to: $0) }) {
            error(
                .value, code: "profile-not-met",
                message: "The element conforms to none of \(wanted.map(\.url).joined(separator: ", ")).")
        }
    }

    private mutating func targets(_ rules: [ProfileNode.TypeRule], _ element: TypedElement) {
        guard rules.allSatisfy({ !$0.targetProfiles.isEmpty }), let object = element.value.object else { return }
        var names: Set<String> = []
        for url in rules.flatMap(\.targetProfiles) {
            if let profile = profiles.profile(url) {
                names.insert(profile.type)
            } else if ValidationWalk.isCore(url) {
                names.insert(String(url.dropFirst(40)))
            } else {
                return
            }
        }
        guard !names.contains("Resource") else { return }
        referenceTarget(object, allowed: names.sorted())
    }

    private mutating func values(_ node: ProfileNode, _ element: TypedElement) {
        if let fixed = node.fixed, !PatternMatch.isEqual(element.value, fixed) {
            error(
                .value, code: "fixed-value",
                message: "The profile fixes the value here (\(node.id)): write exactly that.")
        }
        if let pattern = node.pattern, !PatternMatch.matches(element.value, pattern) {
            error(
                .value, code: "pattern-value",
                message: "The profile requires a pattern here (\(node.id)): add all of its content.")
        }
        if let maximum = node.maxLength, let text = element.value.string, text.unicodeScalars.count > maximum {
            error(
                .tooLong, code: "profile-length",
                message: "The profile allows up to \(maximum) characters here: shorten the text.")
        }
        if let minimum = node.minValue, ValidationWalk.isLess(element.value, minimum) {
            error(.value, code: "profile-range", message: "The value is below the minimum of the profile (\(node.id)).")
        }
        if let maximum = node.maxValue, ValidationWalk.isLess(maximum, element.value) {
            error(.value, code: "profile-range", message: "The value is above the maximum of the profile (\(node.id)).")
        }
    }

    /// Compares numbers by value, dates and times by their start, and quantities with the same code by their value.
    private static func isLess(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)):
            guard let first = left.decimal, let second = right.decimal else { return left.double < right.double }
            return first < second
        case (.string(let left), .string(let right)):
            if let first = DateTime(left), let second = DateTime(right) { return first.start() < second.start() }
            if let first = TimeOfDay(left), let second = TimeOfDay(right) { return first < second }
            return false
        case (.object(let left), .object(let right)):
            guard left["code"] == right["code"], let first = left["value"], let second = right["value"] else {
                return false
            }
            return isLess(first, second)
        default: return false
        }
    }

    private mutating func bind(_ element: TypedElement, _ binding: (isRequired: Bool, valueSet: String)) {
        guard binding.isRequired, element.type.isKnown else { return }
        if let number = terminology.number(binding.valueSet) {
            bind(element.value, special: plan.types[Int(element.type.index)].special, binding: (.required, number))
            return
        }
        guard let isMember = options.context.terminology?.memberOf(element, valueSet: binding.valueSet) else {
            report(
                .information, kind: .notFound, code: "unknown-value-set",
                message: "The profile requires a code of \(binding.valueSet), which is unknown: it was not checked.")
            return
        }
        guard !isMember else { return }
        error(
            .codeInvalid, code: "required-binding", message: "The code is not in \(binding.valueSet): use one that is.")
    }

    // MARK: The elements with one name

    /// Returns the elements with a name, with their steps.
    func items(_ name: String, of element: TypedElement) -> [Item] {
        let elements = element.children(name)
        guard !elements.isEmpty else { return [] }
        var items: [Item] = []
        for (index, child) in elements.enumerated() {
            let declared = child.declaration >= 0 ? model.declaration(child.declaration) : nil
            var key = name
            if let declared, declared.isChoice, child.type.isKnown {
                let type = model.name(of: child.type)
                key = name + (type.first?.uppercased() ?? "") + type.dropFirst()
            }
            let step = ElementPath.Step(
                key: key, index: declared?.isRepeated ?? (elements.count > 1) ? index : nil,
                declaration: child.declaration, type: child.type)
            items.append(Item(step: step, element: child))
        }
        return items
    }

    private mutating func children(_ node: ProfileNode, _ items: [Item], of parent: TypedElement, bases: [ProfileNode])
    {
        count(items.count, node, what: "")
        let inherited = bases.first { $0.slicing != nil }
        if !node.slices.isEmpty || node.slicing != nil {
            slices(node, slicing: node.slicing ?? inherited?.slicing, items: items, inherited: bases)
        }
        for item in items {
            inside(item.step) { $0.content(node, item.element, bases: bases) }
        }
    }

    mutating func count(_ count: Int, _ node: ProfileNode, what: String) {
        let name = node.name + what
        if let minimum = node.min, count < minimum {
            error(
                .required, code: "profile-cardinality",
                message:
                    "The profile requires at least \(minimum) \(name), but there are \(count): add what is missing.",
                at: node.name)
        }
        if let maximum = node.max, count > maximum {
            error(
                .structure, code: "profile-cardinality",
                message: maximum == 0
                    ? "The profile allows no \(name) here: remove it."
                    : "The profile allows up to \(maximum) \(name), but there are \(count): remove some.", at: node.name
            )
        }
    }

    // MARK: Trials

    /// Whether an element conforms, without reporting issues.
    func conforms(_ element: TypedElement, to profile: Profile) -> Bool {
        var trial = self
        trial.issues = []
        trial.conform(element, to: profile)
        return !trial.issues.contains { $0.issue.severity >= .error }
    }

    func conforms(_ element: TypedElement, to node: ProfileNode) -> Bool {
        guard profileDepth < ValidationWalk.maximumProfileDepth else { return false }
        var trial = self
        trial.issues = []
        trial.profileDepth += 1
        trial.content(node, element, bases: [])
        return !trial.issues.contains { $0.issue.severity >= .error }
    }
}
