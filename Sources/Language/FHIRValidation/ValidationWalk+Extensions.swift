import FHIR

extension ValidationWalk {
    /// Checks the rules of an extension (<https://hl7.org/fhir/R4/extensibility.html>): a value or nested extensions,
    /// an absolute URL, and, if HL7 or a given profile defines it, its context and content.
    mutating func extensionRules(_ object: JSONObject) {
        let values = object.members.filter {
            $0.key.hasPrefix("value") && $0.key.dropFirst(5).first?.isUppercase == true
        }
        let siblings = object.members.contains { $0.key.hasPrefix("_value") }
        let hasValue = !values.isEmpty || siblings
        let nested = object["extension"]?.array?.compactMap(\.object) ?? []
        if hasValue != nested.isEmpty {
            error(
                .invariant, code: "ext-1",
                message: hasValue
                    ? "ext-1: An extension has a value or nested extensions, not both: keep one."
                    : "ext-1: An extension has a value or nested extensions: add one.")
        }
        guard let url = object["url"]?.string else { return }
        let outer = outerExtension
        if !ValidationWalk.isAbsolute(url) {
            if outer == nil {
                error(
                    .extension, code: "extension-url",
                    message: "The URL of an extension is absolute: write it with its scheme.",
                    at: "url")
            }
            return
        }
        guard let definition = ExtensionTable.r4.definition(url) else {
            unknownExtension(url)
            return
        }
        checkUse(of: definition, isModifierMember: path.steps.last?.key == "modifierExtension", outer: outer)
        content(definition, object: object, values: values, nested: nested)
    }

    /// Checks an extension that HL7 does not define against its given definition: its context and its content.
    mutating func suppliedExtension(_ object: JSONObject, _ element: TypedElement) {
        guard let url = object["url"]?.string, ValidationWalk.isAbsolute(url), profiles.definesExtension(url),
            ExtensionTable.r4.definition(url) == nil, let profile = profiles.profile(url)
        else { return }
        conform(element, to: profile)
        if !profile.contexts.isEmpty { checkContext(in: profile.contexts) }
    }

    /// Checks that an extension is in one of the elements of its definition's context.
    private mutating func checkContext(in elements: Set<String>, orIn extensions: Set<String> = []) {
        guard !elements.contains("Element"), elements.isDisjoint(with: contexts()) else { return }
        let allowed = (elements.sorted() + extensions.sorted()).prefix(8).joined(separator: ", ")
        error(
            .extension, code: "extension-context",
            message: "This extension is not allowed here, but in \(allowed): move it.")
    }

    /// Checks the extensions of one element: an extension with a maximum of one occurs only once.
    mutating func extensionList(_ object: JSONObject) {
        guard let list = object["extension"]?.array, list.count > 1 else { return }
        var seen: Set<String> = []
        for item in list {
            guard let url = item["url"]?.string, let definition = ExtensionTable.r4.definition(url) else { continue }
            if !definition.isRepeated, !seen.insert(url).inserted {
                error(
                    .extension, code: "extension-repeated",
                    message: "The extension \(url) is allowed only once here: keep one.",
                    at: "extension")
            }
        }
    }

    /// The URL of the extension that contains this one; nil if none does.
    private var outerExtension: String? {
        guard path.steps.count >= 2, path.steps[path.steps.count - 2].type == model.extensionType else { return nil }
        return extensionURLs.count >= 2 ? extensionURLs[extensionURLs.count - 2] : ""
    }

    static func isAbsolute(_ url: String) -> Bool {
        guard let colon = url.firstIndex(of: ":"), colon != url.startIndex else { return false }
        return url[..<colon].utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "+-.".utf8.contains($0)
        }
    }

    private mutating func unknownExtension(_ url: String) {
        let isOwn = profiles.definesExtension(url)
        guard !isOwn else { return }
        if path.steps.last?.key == "modifierExtension" {
            warning(
                .extension, code: "unknown-modifier-extension",
                message: "This extension changes the meaning of the element and is not known: supply its definition.",
                at: "url")
        } else if url.hasPrefix("http://hl7.org/fhir/StructureDefinition/") {
            warning(
                .extension, code: "unknown-extension",
                message: "R4 defines no extension with this URL: correct it, or supply its definition.", at: "url")
        }
    }

    private mutating func checkUse(of definition: ExtensionTable.Definition, isModifierMember: Bool, outer: String?) {
        if definition.isModifier && !isModifierMember {
            error(
                .extension, code: "modifier-extension",
                message: "This extension changes the meaning of the element: put it into modifierExtension.")
        } else if !definition.isModifier && isModifierMember {
            error(
                .extension, code: "modifier-extension",
                message: "This extension is not a modifier: put it into extension.")
        }
        guard !definition.hasOtherContext, !(definition.elements.isEmpty && definition.extensions.isEmpty) else {
            return
        }
        if let outer, definition.extensions.contains(outer) { return }
        checkContext(in: definition.elements, orIn: definition.extensions)
    }

    /// Returns all names that a definition may use for the element with the extension: its types, and the paths that
    /// lead to it from each type on the path.
    private func contexts() -> Set<String> {
        var names: Set<String> = []
        let steps = path.steps.dropLast()
        func addTypes(_ type: TypeModel.TypeID) {
            var current: TypeModel.TypeID? = type
            while let id = current {
                names.insert(model.name(of: id))
                current = model.base(of: id)
            }
        }
        if let frame = frames.last, steps.count == frame.depth {
            addTypes(frame.element.type)
            return names
        }
        guard let last = steps.last else { return names }
        addTypes(last.type)
        var tail = ""
        for step in steps[(frames.last?.depth ?? 0)...].reversed() {
            guard step.declaration >= 0 else { return names }
            let element = model.declaration(step.declaration)
            names.insert((element.isChoice ? String(element.path.dropLast(3)) : element.path) + tail)
            tail = "." + element.name + tail
        }
        // Inherited elements are declared by a base type; their path from the resource is also added.
        if let frame = frames.last { names.insert(frame.element.typeName + tail) }
        return names
    }

    private mutating func content(
        _ definition: ExtensionTable.Definition, object: JSONObject, values: [JSONObject.Member],
        nested: [JSONObject]
    ) {
        if let content = definition.value, let member = values.first {
            check(member, content)
        } else if definition.value == nil, let member = values.first {
            error(
                .extension, code: "extension-value",
                message: "This extension has nested extensions and no value: remove it.",
                at: member.key)
        } else if definition.value?.isRequired == true, definition.nested.isEmpty, object["_value"] == nil,
            !object.members.contains(where: { $0.key.hasPrefix("_value") })
        {
            error(.extension, code: "extension-value", message: "This extension must have a value: add it.")
        }
        guard !definition.nested.isEmpty else { return }
        var counts: [String: Int] = [:]
        for (index, inner) in nested.enumerated() {
            guard let name = inner["url"]?.string else { continue }
            guard let content = definition.nested[name] else {
                if !ValidationWalk.isAbsolute(name) {
                    let names = definition.nested.keys.sorted().joined(separator: ", ")
                    // The definitions have open slicing of the parts: another part is unusual, but not forbidden.
                    warning(
                        .extension, code: "nested-extension",
                        message: "This extension has only the parts \(names): correct the URL of the nested one.",
                        at: "extension")
                }
                continue
            }
            counts[name, default: 0] += 1
            let number = model.elementIndex(named: "extension", of: model.extensionType) ?? -1
            let step = ElementPath.Step(
                key: "extension", index: index, declaration: number, type: model.extensionType)
            for member in inner.members
            where member.key.hasPrefix("value") && member.key.dropFirst(5).first?.isUppercase == true {
                inside(step) { $0.check(member, content) }
            }
        }
        for (name, content) in definition.nested.sorted(by: { $0.key < $1.key }) {
            let count = counts[name] ?? 0
            if content.isRequired && count == 0 {
                error(
                    .extension, code: "nested-extension", message: "This extension must have the part \(name): add it.")
            } else if !content.isRepeated && count > 1 {
                error(.extension, code: "nested-extension", message: "The part \(name) is allowed only once: keep one.")
            }
        }
    }

    private mutating func check(_ member: JSONObject.Member, _ content: ExtensionTable.Content) {
        guard !content.types.isEmpty else { return }
        let suffix = String(member.key.dropFirst(5))
        guard let type = content.types.first(where: { $0.name.lowercased() == suffix.lowercased() }) else {
            let names = content.types.map { "value" + ($0.name.first?.uppercased() ?? "") + $0.name.dropFirst() }
            error(
                .extension, code: "extension-type",
                message: "The value of this extension is \(names.joined(separator: " or ")): use that name.",
                at: member.key)
            return
        }
        guard let (number, inner) = model.memberIndex(member.key, of: model.extensionType) else { return }
        let step = ElementPath.Step(key: member.key, index: nil, declaration: number, type: inner)
        inside(step) { walk in
            if let binding = content.binding {
                walk.bind(member.value, special: walk.plan.types[Int(inner.index)].special, binding: binding)
            }
            if type.name == "Reference", !type.targets.isEmpty, let object = member.value.object {
                walk.referenceTarget(object, allowed: type.targets)
            }
        }
    }
}
