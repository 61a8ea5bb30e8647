import FHIR

extension ValidationWalk {
    /// Checks the members of an object: names, JSON types, cardinalities and choices; then each value; then missing
    /// elements.
    mutating func members(of object: JSONObject, _ element: TypedElement) {
        let type = element.type
        let rule = plan.types[Int(type.index)]
        let isResource = rule.kind == .resource
        if object.isEmpty {
            error(
                .invariant, code: "ele-1",
                message: "ele-1: An element has a value or children: fill the object or leave it out.")
            return
        }
        if !isResource, object.count == 1, object.members[0].key == "id" {
            let sentence = "ele-1: An id alone is no content: give the element a value or children, or leave it out."
            if mayHaveIDAlone(type) {
                warning(.invariant, code: "ele-1", message: sentence)
            } else {
                error(.invariant, code: "ele-1", message: sentence)
            }
        }
        let hasSiblings = object.members.contains { $0.key.utf8.first == UInt8(ascii: "_") }
        var seen = ElementSet()
        for member in object.members {
            guard !isFull else { return }
            if isResource && member.key == "resourceType" { continue }
            let isSibling = member.key.utf8.first == UInt8(ascii: "_")
            let key = isSibling ? String(member.key.dropFirst()) : member.key
            guard let (number, inner) = model.memberIndex(key, of: type) else {
                unknownMember(member.key, key: key, type: type)
                continue
            }
            let stated = plan.elements[Int(number)]
            let isPrimitive = inner.isKnown && plan.types[Int(inner.index)].kind == .primitive
            if isSibling {
                guard isPrimitive else {
                    error(
                        .structure, code: "sibling-of-object",
                        message:
                            "Only primitive elements have a sibling with _: move its id and extensions into \(key).",
                        at: member.key)
                    continue
                }
                // A sibling of a value is checked together with the value.
                if object[key] != nil { continue }
            }
            if seen.contains(stated.position) {
                secondType(number, member.key)
                continue
            }
            seen.insert(stated.position)
            let step = ElementPath.Step(key: member.key, index: nil, declaration: number, type: inner)
            let sibling = isSibling ? member.value : hasSiblings && isPrimitive ? object.sibling(of: key) : nil
            path.steps.append(step)
            content(
                isSibling ? Optional<JSON>.none : .some(member.value), sibling: sibling, type: inner, number: number,
                rule: stated)
            path.steps.removeLast()
        }
        for position in rule.required where !seen.contains(position) { missing(position, type) }
        for number in rule.invariants { invariant(number, element) }
    }

    /// Checks the value with one name, or the array of values.
    private mutating func content(
        _ value: JSON?, sibling: JSON?, type: TypeModel.TypeID, number: Int32,
        rule: ValidationPlan.ElementRule
    ) {
        if rule.isRepeated {
            repeated(value, sibling: sibling, type: type, number: number)
            return
        }
        if let value, case .array = value {
            error(
                .structure, code: "unexpected-array",
                message: "This element does not repeat: write its value without brackets.")
            return
        }
        if let sibling, case .array = sibling {
            error(
                .structure, code: "unexpected-array",
                message: "This element does not repeat: write its sibling without brackets.")
            return
        }
        self.value(value ?? .null, sibling: sibling, type: type, declaration: number)
    }

    private mutating func repeated(_ value: JSON?, sibling: JSON?, type: TypeModel.TypeID, number: Int32) {
        var values: [JSON] = []
        if let value {
            guard case .array(let items) = value else {
                error(
                    .structure, code: "array-expected",
                    message: "This element may repeat: write it as an array in brackets, also where it is one.")
                return
            }
            if items.isEmpty {
                error(.structure, code: "empty-array", message: "FHIR has no empty arrays: leave the element out.")
                return
            }
            values = items
        }
        var siblings: [JSON] = []
        if let sibling {
            guard case .array(let items) = sibling else {
                error(
                    .structure, code: "array-expected",
                    message: "The sibling of an element that may repeat is an array, too.")
                return
            }
            if value != nil && items.count > values.count {
                error(
                    .structure, code: "sibling-length",
                    message: "The sibling has more items than the element: fill the shorter array with null.")
            }
            siblings = items
        }
        let last = path.steps.count - 1
        for index in 0..<max(values.count, siblings.count) {
            guard !isFull else { break }
            path.steps[last].index = index
            let item = index < values.count ? values[index] : .null
            let itemSibling: JSON? = index < siblings.count ? .some(siblings[index]) : .none
            if case .array = item {
                error(.structure, code: "nested-array", message: "FHIR has no arrays inside arrays: write one array.")
                continue
            }
            self.value(item, sibling: itemSibling?.isNull == true ? nil : itemSibling, type: type, declaration: number)
        }
        path.steps[last].index = nil
    }

    // MARK: Problems of members

    private mutating func unknownMember(_ written: String, key: String, type: TypeModel.TypeID) {
        let name = model.name(of: type)
        if key == "resourceType" {
            error(
                .structure, code: "unknown-element", message: "Only a resource has a resourceType: remove it.",
                at: written)
            return
        }
        if key == "fhir_comments" {
            error(.structure, code: "unknown-element", message: "R4 has no comments in JSON: remove them.", at: written)
            return
        }
        for number in model.elementIndices(of: type) {
            let element = model.declaration(number)
            if element.isChoice && (key == element.name || key.hasPrefix(element.name)),
                key == element.name || key.dropFirst(element.name.count).first?.isUppercase == true
            {
                let types = element.types.prefix(12).map { model.name(of: $0.type) }.joined(separator: ", ")
                error(
                    .structure, code: "choice-type",
                    message:
                        "\(element.path) has one of the types \(types)\(element.types.count > 12 ? ", …" : ""): write the type into the name, as in \(ValidationWalk.choiceName(element)).",
                    at: written)
                return
            }
            if element.name.lowercased() == key.lowercased() {
                error(
                    .structure, code: "unknown-element",
                    message: "\(name) has no such element; \(element.name) is meant: use that name.", at: written)
                return
            }
        }
        error(
            .structure, code: "unknown-element",
            message: "\(name) has no such element in R4: remove it, or carry it as an extension.", at: written)
    }

    private static func choiceName(_ element: TypeModel.Element) -> String {
        let type = element.types.first.map { TypeModel.r4.name(of: $0.type) } ?? ""
        return element.name + (type.first?.uppercased() ?? "") + type.dropFirst()
    }

    private mutating func secondType(_ number: Int32, _ key: String) {
        error(
            .structure, code: "several-choices",
            message: "\(model.declaration(number).path) is allowed once, with one type: keep one of its members.",
            at: key)
    }

    private mutating func missing(_ position: Int, _ type: TypeModel.TypeID) {
        guard let number = model.elementIndices(of: type).first(where: { plan.elements[Int($0)].position == position })
        else { return }
        let element = model.declaration(number)
        let name = element.name + (element.isChoice ? "[x]" : "")
        error(
            .required, code: "required-element",
            message: "\(model.name(of: type)) must have \(name): add it.", at: element.name)
    }
}
