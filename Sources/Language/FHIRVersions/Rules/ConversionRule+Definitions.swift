import FHIR

extension ConversionRule {
    /// StructureDefinition: <https://hl7.org/fhir/DSTU2/structuredefinition.html>,
    /// <https://hl7.org/fhir/STU3/structuredefinition.html>.
    static let definitions: [String: Rule] = [
        "StructureDefinition.base": renamed("baseDefinition"),
        "StructureDefinition.constrainedType": renamed("type"),
        "StructureDefinition.kind": kind,
        "StructureDefinition.contextType": contextType,
        "StructureDefinition.context": context,
        "ElementDefinition.comments": renamed("comment"),
        "ElementDefinition.slicing.discriminator": discriminator,
        "ElementDefinition.sliceName": { part, context, output, conversion in
            // The first element is not a slice (sdf-23).
            if DefinitionFinish.isRoot(context.object) {
                conversion.carry(part, in: context, into: &output)
            } else {
                conversion.keep(part, as: part.key, in: context, into: &output)
            }
        },
        "ElementDefinition.defaultValue": { part, context, output, conversion in
            // FHIR's own definitions, and constraints, do not have default values (sdf-21, sdf-22).
            let own = conversion.current["url"]?.string?.hasPrefix(DefinitionFinish.home) ?? false
            if own || conversion.current["derivation"]?.string != "specialization" {
                conversion.carry(part, in: context, into: &output)
            } else {
                conversion.keepByStructure(part, in: context, into: &output)
            }
        },
        "ElementDefinition.type": types,
        "ElementDefinition.type.profile": { part, context, output, conversion in
            // In DSTU2, this is also the target of a reference.
            let isTarget = conversion.version == .dstu2 && context.object["code"]?.string == "Reference"
            conversion.keep(part, as: isTarget ? "targetProfile" : "profile", in: context, into: &output)
        },
    ]

    /// Splits data types into primitive and complex ones.
    private static let kind: Rule = { part, context, output, conversion in
        var part = part
        if part.value?.string == "datatype" {
            let name = DefinitionFinish.type(of: conversion.current) ?? ""
            let kind = name.first?.isLowercase ?? false ? "primitive-type" : "complex-type"
            part.value = .string(kind)
            conversion.addNote(
                .changed, path: "StructureDefinition.kind", detail: "datatype is \(kind) in R4", at: part.trail)
        }
        conversion.keepByStructure(part, in: context, into: &output)
    }

    private static let contextTypes = ["resource": "element", "datatype": "element", "extension": "extension"]

    /// Converts the type of context, which R4 has in each context.
    private static let contextType: Rule = { part, context, output, conversion in
        guard let old = part.value?.string, let new = contextTypes[old], part.sibling == nil,
            !(context.object["context"]?.array ?? []).isEmpty
        else {
            conversion.carry(part, in: context, into: &output)
            return
        }
        conversion.addNote(
            .changed, path: "StructureDefinition.contextType", detail: "it is \(new) in each context", at: part.trail)
    }

    private static let context: Rule = { part, context, output, conversion in
        guard let type = context.object["contextType"]?.string.flatMap({ contextTypes[$0] }) else {
            conversion.keepByStructure(part, in: context, into: &output)
            return
        }
        for pair in part.pairs {
            let path = "StructureDefinition.context"
            let text = conversion.value(
                pair.value, inside: (from: "string", to: nil), type: "string", path: path, at: pair.trail)
            var converted = ConversionOutput()
            converted.object["type"] = .string(type)
            converted.set("expression", to: text ?? .null, sibling: conversion.sibling(pair.sibling, at: pair.trail))
            if text == nil, pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
            if converted.has("expression") { output.append(.object(converted.finished), to: "context") }
        }
    }

    /// Converts DSTU2's discriminators, which are paths with a suffix if the discriminator is not the value.
    private static let discriminator: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let text = pair.value.string, !text.isEmpty, pair.sibling == .null else {
                conversion.keepByStructure(part.with(pair), in: context, into: &output)
                continue
            }
            var (type, path) = ("value", text)
            for (mark, marked) in [("@type", "type"), ("@profile", "profile"), ("@exists", "exists")]
            where text.hasSuffix(mark) {
                type = marked
                path = String(text.dropLast(mark.count))
                if path.hasSuffix(".") { path.removeLast() }
                if path.isEmpty { path = "$this" }
                conversion.addNote(
                    .changed, path: context.from + ".discriminator", detail: "the mark is the type in R4",
                    at: pair.trail)
            }
            output.append(["type": .string(type), "path": .string(path)], to: "discriminator")
        }
    }

    // MARK: Types of an element

    /// Joins types: R4 lists each type once (eld-13), and none for the first element (sdf-15).
    private static let types: Rule = { part, context, output, conversion in
        if DefinitionFinish.isRoot(context.object), conversion.current["kind"]?.string != "logical" {
            conversion.carry(part, in: context, into: &output)
            return
        }
        var typeList = TypeList()
        for pair in part.pairs {
            guard let object = pair.value.object, !object.isEmpty else {
                conversion.keepByStructure(part.with(pair), in: context, into: &output)
                continue
            }
            if object.count == 1, object["code"]?.string == "*" {
                conversion.addNote(
                    .changed, path: context.from + ".type", detail: "any type is all of them in R4", at: pair.trail)
                for name in DefinitionFinish.openTypes { output.append(["code": .string(name)], to: "type") }
                continue
            }
            var type = conversion.element(
                object, from: context.from + ".type", to: "ElementDefinition.type", at: pair.trail)
            name(&type, at: pair.trail, conversion: &conversion)
            if pair.sibling != .null { conversion.addFormNote(context.from + ".type", at: pair.trail) }
            if typeList.join(type, &output) {
                conversion.addNote(
                    .changed, path: context.from + ".type", detail: "R4 names each type once", at: pair.trail)
            } else if !type.isEmpty {
                output.append(.object(type), to: "type")
            }
        }
    }

    /// Supplies the code of a value that is not an element: STU3 describes it only in extensions, R4 has a code for it.
    private static func name(_ type: inout JSONObject, at trail: ConversionTrail, conversion: inout ReleaseConversion) {
        guard type["code"] == nil || type["code"]?.string?.hasPrefix("xs:") == true,
            let written = (type["_code"]?["extension"]?.array ?? []).first(where: {
                $0["url"]?.string == DefinitionFinish.home + "structuredefinition-json-type"
            })?["valueString"]?.string,
            let code = jsonTypes[written]
        else { return }
        type.set("code", .string("http://hl7.org/fhirpath/System." + code), at: 0)
        conversion.addNote(.supplied, path: "ElementDefinition.type.code", detail: "from its extension", at: trail)
    }

    private static let jsonTypes = [
        "string": "String", "number": "Decimal", "boolean": "Boolean", "true | false": "Boolean",
    ]
}
