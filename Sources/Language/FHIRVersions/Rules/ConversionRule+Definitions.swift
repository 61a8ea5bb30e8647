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
        "ElementDefinition.sliceName": { part, place, output, conversion in
            // The first element is not a slice (sdf-23).
            if DefinitionFinish.isRoot(place.object) {
                conversion.carry(part, place, &output)
            } else {
                conversion.keep(part, as: part.key, place, &output)
            }
        },
        "ElementDefinition.defaultValue": { part, place, output, conversion in
            // FHIR's own definitions, and constraints, do not have default values (sdf-21, sdf-22).
            let own = conversion.current["url"]?.string?.hasPrefix(DefinitionFinish.home) ?? false
            if own || conversion.current["derivation"]?.string != "specialization" {
                conversion.carry(part, place, &output)
            } else {
                conversion.keepByStructure(part, place, &output)
            }
        },
        "ElementDefinition.type": types,
        "ElementDefinition.type.profile": { part, place, output, conversion in
            // In DSTU2, this is also the target of a reference.
            let isTarget = conversion.version == .dstu2 && place.object["code"]?.string == "Reference"
            conversion.keep(part, as: isTarget ? "targetProfile" : "profile", place, &output)
        },
    ]

    /// Splits data types into primitive and complex ones.
    private static let kind: Rule = { part, place, output, conversion in
        var part = part
        if part.value?.string == "datatype" {
            let name = DefinitionFinish.type(of: conversion.current) ?? ""
            let kind = name.first?.isLowercase ?? false ? "primitive-type" : "complex-type"
            part.value = .string(kind)
            conversion.note(.changed, "StructureDefinition.kind", "datatype is \(kind) in R4", part.trail)
        }
        conversion.keepByStructure(part, place, &output)
    }

    private static let contextTypes = ["resource": "element", "datatype": "element", "extension": "extension"]

    /// Converts the type of context, which R4 has in each context.
    private static let contextType: Rule = { part, place, output, conversion in
        guard let old = part.value?.string, let new = contextTypes[old], part.sibling == nil,
            !(place.object["context"]?.array ?? []).isEmpty
        else {
            conversion.carry(part, place, &output)
            return
        }
        conversion.note(.changed, "StructureDefinition.contextType", "it is \(new) in each context", part.trail)
    }

    private static let context: Rule = { part, place, output, conversion in
        guard let type = place.object["contextType"]?.string.flatMap({ contextTypes[$0] }) else {
            conversion.keepByStructure(part, place, &output)
            return
        }
        for pair in part.pairs {
            let path = "StructureDefinition.context"
            let text = conversion.value(pair.value, (from: "string", to: nil), type: "string", path, pair.trail)
            var context = ConversionOutput()
            context.object["type"] = .string(type)
            context.set("expression", text ?? .null, conversion.sibling(pair.sibling, pair.trail))
            if text == nil, pair.value != .null { conversion.noteForm(path, pair.trail) }
            if context.has("expression") { output.append(.object(context.finished), to: "context") }
        }
    }

    /// Converts DSTU2's discriminators, which are paths with a suffix if the discriminator is not the value.
    private static let discriminator: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            guard let text = pair.value.string, !text.isEmpty, pair.sibling == .null else {
                conversion.keepByStructure(part.with(pair), place, &output)
                continue
            }
            var (type, path) = ("value", text)
            for (mark, marked) in [("@type", "type"), ("@profile", "profile"), ("@exists", "exists")]
            where text.hasSuffix(mark) {
                type = marked
                path = String(text.dropLast(mark.count))
                if path.hasSuffix(".") { path.removeLast() }
                if path.isEmpty { path = "$this" }
                conversion.note(.changed, place.from + ".discriminator", "the mark is the type in R4", pair.trail)
            }
            output.append(["type": .string(type), "path": .string(path)], to: "discriminator")
        }
    }

    // MARK: Types of an element

    /// Joins types: R4 lists each type once (eld-13), and none for the first element (sdf-15).
    private static let types: Rule = { part, place, output, conversion in
        if DefinitionFinish.isRoot(place.object), conversion.current["kind"]?.string != "logical" {
            conversion.carry(part, place, &output)
            return
        }
        var typeList = TypeList()
        for pair in part.pairs {
            guard let object = pair.value.object, !object.isEmpty else {
                conversion.keepByStructure(part.with(pair), place, &output)
                continue
            }
            if object.count == 1, object["code"]?.string == "*" {
                conversion.note(.changed, place.from + ".type", "any type is all of them in R4", pair.trail)
                for name in DefinitionFinish.openTypes { output.append(["code": .string(name)], to: "type") }
                continue
            }
            var type = conversion.element(
                object, from: place.from + ".type", to: "ElementDefinition.type", at: pair.trail)
            name(&type, pair.trail, &conversion)
            if pair.sibling != .null { conversion.noteForm(place.from + ".type", pair.trail) }
            if typeList.join(type, &output) {
                conversion.note(.changed, place.from + ".type", "R4 names each type once", pair.trail)
            } else if !type.isEmpty {
                output.append(.object(type), to: "type")
            }
        }
    }

    /// Supplies the code of a value that is not an element: STU3 describes it only in extensions, R4 has a code for it.
    private static func name(_ type: inout JSONObject, _ trail: ConversionTrail, _ conversion: inout Conversion) {
        guard type["code"] == nil || type["code"]?.string?.hasPrefix("xs:") == true,
            let written = (type["_code"]?["extension"]?.array ?? []).first(where: {
                $0["url"]?.string == DefinitionFinish.home + "structuredefinition-json-type"
            })?["valueString"]?.string,
            let code = jsonTypes[written]
        else { return }
        type.set("code", .string("http://hl7.org/fhirpath/System." + code), at: 0)
        conversion.note(.supplied, "ElementDefinition.type.code", "from its extension", trail)
    }

    private static let jsonTypes = [
        "string": "String", "number": "Decimal", "boolean": "Boolean", "true | false": "Boolean",
    ]
}
