import FHIR

extension ValidationWalk {
    /// Checks a primitive: its sibling, then its format.
    mutating func primitive(
        _ value: JSON, sibling: JSON?, type: TypeModel.TypeID, rule: ValidationPlan.TypeRule,
        declaration: Int32
    ) {
        if let sibling { self.sibling(sibling, hasValue: !value.isNull) }
        if value.isNull {
            if sibling == nil {
                error(.structure, code: "null-value", message: "FHIR has no null here: leave the element out.")
            }
            return
        }
        guard let format = rule.format else { return }
        if let problem = PrimitiveFormat.problem(value, format) {
            switch problem {
            case .shape:
                if value.object != nil || value.array != nil {
                    wrongShape(value, format.shape)
                } else {
                    error(
                        .structure, code: "wrong-shape",
                        message:
                            "A \(model.name(of: type)) is \(format.shape); found \(ValidationWalk.shape(of: value)).")
                }
            case .format(let sentence):
                error(
                    .value, code: "invalid-\(model.name(of: type))",
                    message: "This is not a \(model.name(of: type)): \(sentence).")
            case .tooLong:
                error(
                    .tooLong, code: "text-too-long",
                    message: "A text of FHIR has a maximum of 1,048,576 characters: shorten it.")
            case .blank:
                let sentence = "A text has at least one character that is not a space: leave the element out."
                if isIdentifierValue {
                    warning(.value, code: "empty-text", message: sentence)
                } else {
                    error(.value, code: "empty-text", message: sentence)
                }
            }
            return
        }
        guard declaration >= 0 else { return }
        let stated = plan.elements[Int(declaration)]
        if let binding = stated.binding { bind(value, special: .none, binding: binding) }
        if format == .xhtml { narrative(value) }
        if !stated.invariants.isEmpty || !rule.invariants.isEmpty {
            let element = TypedElement(value, sibling: sibling?.object, type: type, declaration: declaration)
            for number in stated.invariants { invariant(number, element) }
            for number in rule.invariants { invariant(number, element) }
        }
        if path.steps.last?.key == "id" { elementID(value) }
    }

    /// Checks the sibling object of a primitive, which has only an id and extensions.
    private mutating func sibling(_ sibling: JSON, hasValue: Bool) {
        guard let object = sibling.object else {
            error(
                .structure, code: "wrong-shape",
                message: "The sibling of a primitive is an object with id and extension.")
            return
        }
        if object.isEmpty {
            error(
                .invariant, code: "ele-1",
                message: "ele-1: An element has a value or children: fill the object or leave it out.")
            return
        }
        if hasValue, object.count == 1, let id = object["id"] {
            if id.string == nil {
                error(.structure, code: "wrong-shape", message: "The id of an element is text in quotes.", at: "id")
            }
            inside(idStep) { walk in
                if walk.path.steps.count > 0 { walk.elementID(id) }
            }
            return
        }
        members(of: object, TypedElement(sibling, type: model.elementType))
    }

    private var idStep: ElementPath.Step {
        let number = model.elementIndex(named: "id", of: model.elementType) ?? -1
        return ElementPath.Step(key: "id", index: nil, declaration: number, type: model.type("string") ?? .unknown)
    }

    /// Checks that the id of an element is unique in its resource (<https://hl7.org/fhir/R4/element.html#id>).
    private mutating func elementID(_ value: JSON) {
        guard let id = value.string, let depth = frames.last?.depth, path.steps.count > depth + 1 else { return }
        if id.contains(" ") {
            error(.value, code: "invalid-id", message: "The id of an element has no spaces.")
        }
        // Snapshot and differential describe the same elements, so each has its own scope of ids.
        let part = path.steps[depth].key
        let scope = part == "snapshot" || part == "differential" ? part + "#" : ""
        let isNew = frames[frames.count - 1].elementIDs.insert(scope + id).inserted
        if !isNew {
            error(
                .duplicate, code: "duplicate-id",
                message: "Another element of this resource has the same id: give each its own.")
        }
    }

    // MARK: Bindings

    /// Checks that a coded value is in the value set to which the element is bound.
    mutating func bind(
        _ value: JSON, special: ValidationPlan.Special,
        binding: (strength: TypeModel.BindingStrength, valueSet: Int)
    ) {
        guard binding.strength != .preferred else { return }
        switch (special, value) {
        case (.none, .string(let code)):
            check(code, system: nil, binding, at: nil)
        case (.coding, .object(let coding)), (.quantity, .object(let coding)):
            guard let code = coding["code"]?.string else { return }
            check(code, system: coding["system"]?.string, binding, at: "code")
        case (.codeableConcept, .object(let concept)):
            bind(concept, binding)
        default: break
        }
    }

    private mutating func bind(
        _ concept: JSONObject, _ binding: (strength: TypeModel.BindingStrength, valueSet: Int)
    ) {
        let codings = (concept["coding"]?.array ?? []).compactMap(\.object).filter { $0["code"]?.string != nil }
        guard !codings.isEmpty else {
            // A text alone has no code; this is allowed unless the binding is required.
            if binding.strength == .required, terminology.isKnown(binding.valueSet), concept["extension"] == nil {
                error(
                    .codeInvalid, code: "required-binding",
                    message: "A code of \(terminology.url(binding.valueSet)) is required here: add a coding.")
            }
            return
        }
        let memberships = codings.map { coding in
            terminology.membership(
                of: coding["code"]?.string ?? "", system: coding["system"]?.string ?? "", number: binding.valueSet)
        }
        if memberships.contains(.inside) || memberships.contains(.unknown) { return }
        if binding.strength == .required {
            error(
                .codeInvalid, code: "required-binding",
                message: "None of the codings is in \(terminology.url(binding.valueSet)): \(advice(binding.valueSet))")
        } else if codings.contains(where: { isForeign($0, binding.valueSet) }) {
            warning(
                .codeInvalid, code: "extensible-binding",
                message:
                    "The code system is one of \(terminology.url(binding.valueSet)), but this code is not in it: \(advice(binding.valueSet))"
            )
        }
    }

    /// Whether a coding has a system of the value set, but a code outside of it.
    private func isForeign(_ coding: JSONObject, _ number: Int) -> Bool {
        coding["system"]?.string.map { terminology.hasSystem($0, number: number) } ?? false
    }

    private mutating func check(
        _ code: String, system: String?, _ binding: (strength: TypeModel.BindingStrength, valueSet: Int),
        at child: String?
    ) {
        guard terminology.membership(of: code, system: system, number: binding.valueSet) == .outside else { return }
        if binding.strength == .required {
            error(
                .codeInvalid, code: "required-binding",
                message: "The code is not in \(terminology.url(binding.valueSet)): \(advice(binding.valueSet))",
                at: child)
        } else if system == nil || terminology.hasSystem(system ?? "", number: binding.valueSet) {
            warning(
                .codeInvalid, code: "extensible-binding",
                message: "The code is not in \(terminology.url(binding.valueSet)): \(advice(binding.valueSet))",
                at: child)
        }
    }

    private func advice(_ valueSet: Int) -> String {
        let codes = terminology.examples(valueSet)
        return codes.isEmpty ? "use a code that is." : "use one of \(codes)."
    }
}
