import FHIR

extension ConversionRule {
    /// The rules that both older releases share: <https://hl7.org/fhir/STU3/valueset.html>.
    static let valueSet: [String: Rule] = [
        "ValueSet.useContext": useContext,
        "ValueSet.compose.include.valueSet": canonicalOfValueSet,
        "ValueSet.compose.exclude.valueSet": canonicalOfValueSet,
    ]

    /// Rules for ValueSet of DSTU2 (<https://hl7.org/fhir/DSTU2/valueset.html>), which may define codes and import
    /// other sets.
    static let inlineCodes: [String: Rule] = [
        "ValueSet.contact": contact,
        "ValueSet.codeSystem": definedCodes,
        "ValueSet.codeSystem.system": renamed("url"),
        "ValueSet.codeSystem.concept.abstract": notSelectable,
        "ValueSet.compose": compose,
        "ValueSet.compose.import": imported,
        "ValueSet.requirements": renamed("purpose"),
        "ValueSet.lockedDate": lockedDate,
    ]

    /// Converts DSTU2's contexts, which are concepts; R4 requires the type of the context, which is not known.
    private static let useContext: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard conversion.version == .dstu2, let object = pair.value.object, object["code"] == nil,
                let concept = conversion.value(pair.value, as: "CodeableConcept", at: pair.trail)
            else {
                conversion.keep(part.with(pair), as: "useContext", in: context, into: &output)
                continue
            }
            conversion.addNote(
                .supplied, path: "ValueSet.useContext.code", detail: "the kind of the context is not known",
                at: pair.trail.member("code"))
            output.append(["code": DataAbsent.element, "valueCodeableConcept": concept], to: "useContext")
        }
    }

    /// Converts the element into a data type.
    private static let contact: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let path = "ValueSet.contact"
            if let object = pair.value.object, !object.isEmpty {
                let contact = conversion.element(object, from: path, to: "ContactDetail", at: pair.trail)
                if !contact.isEmpty { output.append(.object(contact), to: "contact") }
            } else if pair.value != .null {
                conversion.addFormNote(path, at: pair.trail)
            }
            if pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
        }
    }

    private static let compose: Rule = { part, _, output, conversion in
        for (index, pair) in part.pairs.enumerated() {
            guard index == 0, let object = pair.value.object else {
                if pair.value != .null || pair.sibling != .null {
                    conversion.addFormNote("ValueSet.compose", at: pair.trail)
                }
                continue
            }
            let compose = conversion.element(
                object, from: "ValueSet.compose", to: "ValueSet.compose", at: pair.trail)
            join(compose, &output)
        }
    }

    private static let imported: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            var include = ConversionOutput()
            canonicalOfValueSet(
                ConversionPart(
                    key: "valueSet", value: pair.value == .null ? nil : [pair.value],
                    sibling: pair.sibling == .null ? nil : [pair.sibling], trail: pair.trail),
                ConversionContext(
                    object: JSONObject(), from: "ValueSet.compose.include", to: "ValueSet.compose.include",
                    trail: pair.trail), &include, &conversion)
            if !include.isEmpty { output.append(.object(include.finished), to: "include") }
        }
    }

    /// Renames the value sets of v2's and v3's tables, which moved.
    private static let canonicalOfValueSet: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let old = pair.value.string, let new = CodeSystems.renamed(valueSet: old) else {
                conversion.keep(part.with(pair), as: "valueSet", in: context, into: &output)
                continue
            }
            conversion.addNote(
                .changed, path: context.from + ".valueSet", detail: "R4's name is \(new)", at: pair.trail)
            output.append([(.string(new), conversion.sibling(pair.sibling, at: pair.trail))], to: "valueSet")
        }
    }

    private static let lockedDate: Rule = { part, context, output, conversion in
        let compose = context.object["compose"]?.object
        guard compose != nil || context.object["codeSystem"]?.object != nil, compose?["lockedDate"] == nil else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        var moved = ConversionOutput()
        let inside = ConversionContext(
            object: context.object, from: "ValueSet", to: "ValueSet.compose", trail: context.trail)
        conversion.keep(part, as: "lockedDate", in: inside, into: &moved)
        if !moved.isEmpty { join(moved.finished, &output) }
    }

    /// Converts codes that DSTU2 defines inside of the value set into a contained CodeSystem, where R4 defines codes;
    /// the value set lists its codes. An extension of the value set, named like DSTU2's element, refers to the
    /// CodeSystem.
    private static let definedCodes: Rule = { part, context, output, conversion in
        for (index, pair) in part.pairs.enumerated() {
            guard index == 0, let old = pair.value.object, !old.isEmpty else {
                if pair.value != .null || pair.sibling != .null {
                    conversion.addFormNote("ValueSet.codeSystem", at: pair.trail)
                }
                continue
            }
            let codes = InlineCodes(old, of: context, at: pair.trail, &conversion)
            join(["include": [.object(codes.include)]], &output)
            let id = conversion.contain(codes.codeSystem, id: codes.id)
            output.extend(
                conversion.url("ValueSet", "codeSystem"), type: "Reference", value: ["reference": .string("#" + id)])
            conversion.addNote(
                .moved, path: "ValueSet.codeSystem",
                detail: "it is a contained CodeSystem, of which compose.include lists the codes",
                at: pair.trail)
        }
    }

    /// Converts the mark of an abstract concept into R4's property
    /// (<https://hl7.org/fhir/R4/codesystem-concept-properties.html>).
    private static let notSelectable: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let path = context.from + ".abstract"
            guard
                let value = conversion.value(
                    pair.value, inside: (from: "", to: nil), type: "boolean", path: path, at: pair.trail)
            else {
                if pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
                continue
            }
            if pair.sibling != .null { conversion.addFormNote(path, at: pair.trail) }
            output.append(["code": "notSelectable", "valueBoolean": value], to: "property")
        }
    }

    /// Adds members to `compose`, which may already contain others.
    private static func join(_ members: JSONObject, _ output: inout ConversionOutput) {
        var compose = output.object["compose"]?.object ?? JSONObject()
        for member in members.members {
            let before = compose[member.key]?.array
            compose[member.key] = before.map { .array($0 + (member.value.array ?? [])) } ?? member.value
        }
        output.object["compose"] = .object(compose)
    }

    private static func join(_ members: JSON, _ output: inout ConversionOutput) {
        join(members.object ?? JSONObject(), &output)
    }
}
