import FHIR

extension ConversionRule {
    /// Data types: <https://hl7.org/fhir/R4/datatypes.html>.
    static let dataTypes: [String: Rule] = [
        "Extension.url": extensionURL,
        "Extension.value": extensionValue,
        "Narrative.div": narrative,
        "Quantity.units": renamed("unit"),
        "Reference.reference": reference,
        "Timing.repeat.bounds": bounds,
        "Timing.repeat.durationUnits": renamed("durationUnit"),
        "Timing.repeat.periodUnits": renamed("periodUnit"),
        "HumanName.family": family,
        "Signature.who": signatureReference("who"),
        "Signature.onBehalfOf": signatureReference("onBehalfOf"),
        "Signature.contentType": renamed("sigFormat"),
        "Signature.blob": renamed("data"),
        "Money.code": currency,
        "Money.system": currency,
        "Quantity.code": currency,
        "Quantity.system": currency,
    ]

    /// The system of currency codes.
    static let currencies = "urn:iso:std:iso:4217"

    /// Converts the code into the currency if an amount becomes R4's Money.
    private static let currency: Rule = { part, context, output, conversion in
        guard context.to == "Money", context.object["system"]?.string == currencies else {
            conversion.keep(part, as: part.key, in: context, into: &output)
            return
        }
        if part.key == "code" {
            conversion.keep(part, as: "currency", in: context, into: &output)
        } else if part.sibling == nil {
            conversion.addNote(
                .changed, path: context.from + ".system", detail: "the code is R4's currency", at: part.trail)
        } else {
            conversion.carry(part, in: context, into: &output)
        }
    }

    /// Converts the value of an extension. R4's Money is not a Quantity: it has a value and a currency
    /// (<https://hl7.org/fhir/R4/datatypes.html#Money>). Data absent reasons have other codes in R4.
    private static let extensionValue: Rule = { part, context, output, conversion in
        var part = part
        var key = part.key
        switch part.key {
        case "valueMoney":
            let money = part.value?.object
            let plain: Set<String> = ["value", "system", "code"]
            if let money, money["system"]?.string == "urn:iso:std:iso:4217", let code = money["code"],
                money.members.allSatisfy({ plain.contains($0.key) }), let value = money["value"]
            {
                conversion.addNote(
                    .changed, path: "Money.system", detail: "the code is R4's currency", at: part.trail.member("system")
                )
                part.value = ["value": value, "currency": code]
            } else {
                key = "valueQuantity"
                part = ConversionPart(key: key, value: part.value, sibling: part.sibling, trail: part.trail)
            }
        case "valueReference" where context.object["url"]?.string == expansionSource:
            // In R4, the value is the URL of the value set itself.
            if let reference = part.value?.object, reference.count == 1, let url = reference["reference"] {
                key = "valueUri"
                part = ConversionPart(key: key, value: url, sibling: part.sibling, trail: part.trail)
            }
        case "valueReference" where boundSets.contains(context.object["url"]?.string ?? ""):
            // In R4, the value is the canonical URL of the value set.
            if let reference = part.value?.object, reference.count == 1, let url = reference["reference"] {
                key = "valueCanonical"
                part = ConversionPart(key: key, value: url, sibling: part.sibling, trail: part.trail)
            }
        case "valueCode" where context.object["url"]?.string == DataAbsent.url:
            if let old = part.value?.string, let new = CodeSystems.absentReasons[old] {
                conversion.addNote(.changed, path: "Extension.value", detail: "\(old) is \(new) in R4", at: part.trail)
                part.value = .string(new)
            }
        default: break
        }
        conversion.keep(part, as: key, in: context, into: &output)
    }

    private static let expansionSource = "http://hl7.org/fhir/StructureDefinition/valueset-expansionSource"

    private static let boundSets: Set<String> = [
        "http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet",
        "http://hl7.org/fhir/StructureDefinition/elementdefinition-minValueSet",
    ]

    /// Standard extensions with another name in R4.
    private static let extensionURL: Rule = { part, context, output, conversion in
        var part = part
        if let old = part.value?.string, let new = extensionURLs[old] {
            conversion.addNote(.changed, path: "Extension.url", detail: "R4's name is \(new)", at: part.trail)
            part.value = .string(new)
        }
        conversion.keep(part, as: "url", in: context, into: &output)
    }

    private static let extensionURLs = [
        "http://hl7.org/fhir/StructureDefinition/questionnaire-allowedResource":
            "http://hl7.org/fhir/StructureDefinition/questionnaire-referenceResource"
    ]

    /// Adds the namespace of the narrative, which DSTU2's JSON omitted and R4 requires
    /// (<https://hl7.org/fhir/R4/narrative.html>).
    private static let narrative: Rule = { part, context, output, conversion in
        var part = part
        if let text = part.value?.string, text.hasPrefix("<div"), let end = text.firstIndex(of: ">"),
            !text[..<end].contains("xmlns")
        {
            part.value = .string("<div xmlns=\"http://www.w3.org/1999/xhtml\"" + text.dropFirst(4))
            conversion.addNote(.changed, path: "Narrative.div", detail: "R4 requires the namespace", at: part.trail)
        }
        conversion.keep(part, as: "div", in: context, into: &output)
    }

    /// Converts a relative reference to a resource of a type with another name in R4.
    private static let reference: Rule = { part, context, output, conversion in
        var part = part
        if let text = part.value?.string {
            if let url = conversion.entryURL(text) {
                part.value = .string(url)
                conversion.addNote(
                    .changed, path: "Reference.reference", detail: "as the entry's fullUrl", at: part.trail)
            } else if let newer = ResourceNames.renamed(url: text, in: conversion.source) {
                part.value = .string(newer.text)
                conversion.addNote(
                    .changed, path: "Reference.reference", detail: "R4's name is \(newer.type)", at: part.trail)
            }
        }
        conversion.keep(part, as: "reference", in: context, into: &output)
    }

    /// Converts a Quantity of DSTU2 into R4's Duration if its code is a time.
    private static let bounds: Rule = { part, context, output, conversion in
        guard part.key == "boundsQuantity" else {
            conversion.keep(part, as: part.key, in: context, into: &output)
            return
        }
        conversion.keepDuration(part, as: "boundsDuration", in: context, into: &output)
    }

    /// Joins several family names of DSTU2 into R4's one text.
    private static let family: Rule = { part, context, output, conversion in
        let names = part.pairs.compactMap(\.value.string).filter { !$0.isEmpty }
        guard part.value?.array != nil, part.pairs.count > 1, names.count > 1 else {
            conversion.keep(part, as: part.key, in: context, into: &output)
            return
        }
        conversion.addNote(
            .changed, path: context.from + ".family", detail: "several names are one text", at: part.trail)
        var extensions: [JSON] = []
        for pair in part.pairs {
            if pair.value.string == nil, pair.value != .null {
                conversion.addFormNote(context.from + ".family", at: pair.trail)
            }
            extensions += conversion.sibling(pair.sibling, at: pair.trail)["extension"]?.array ?? []
        }
        let joined: JSON = extensions.isEmpty ? .null : ["extension": .array(extensions)]
        output.set("family", to: .string(names.joined(separator: " ")), sibling: joined)
    }

    /// Joins `whoReference` and `whoUri` into one reference.
    private static func signatureReference(_ name: String) -> Rule {
        { part, context, output, conversion in
            let path = context.from + "." + part.key
            guard !output.has(name) else {
                conversion.carry(part, in: context, into: &output)
                return
            }
            if part.value?.string != nil || part.value == nil {
                var reference = ConversionOutput()
                let uri = conversion.value(
                    part.value ?? .null, inside: (from: "uri", to: nil), type: "string", path: path, at: part.trail)
                if uri == nil, part.value != nil { conversion.addFormNote(path, at: part.trail) }
                reference.set(
                    "reference", to: uri ?? .null, sibling: conversion.sibling(part.sibling ?? .null, at: part.trail))
                if !reference.isEmpty { output.set(name, to: .object(reference.finished)) }
                return
            }
            if let value = part.value, let reference = conversion.value(value, as: "Reference", at: part.trail) {
                output.set(name, to: reference)
            } else {
                conversion.addFormNote(path, at: part.trail)
            }
            if part.sibling != nil { conversion.addFormNote(path, at: part.trail) }
        }
    }
}

extension ReleaseConversion {
    /// Keeps a quantity that must be a Duration in R4: with a UCUM code for a time if it has a value
    /// (<https://hl7.org/fhir/R4/datatypes.html#Duration>, drt-1). Any other quantity is put into an extension.
    mutating func keepDuration(
        _ part: ConversionPart, as key: String, in context: ConversionContext, into output: inout ConversionOutput
    ) {
        guard var quantity = part.value?.object, quantity["value"] != nil else {
            keep(part, as: key, in: context, into: &output)
            return
        }
        let unit = ReleaseConversion.times[quantity["unit"]?.string ?? ""]
        if let system = quantity["system"], system.string != ReleaseConversion.ucum {
            // The original unit and system are kept in an extension.
            carry(part, in: context, into: &output)
            guard unit != nil else { return }
            quantity["code"] = nil
            quantity["system"] = nil
        }
        guard let code = quantity["code"]?.string ?? unit else {
            carry(part, in: context, into: &output)
            return
        }
        if quantity["code"] == nil {
            quantity["code"] = .string(code)
            addNote(.supplied, path: context.from + "." + part.key + ".code", detail: "from the unit", at: part.trail)
        }
        if quantity["system"] == nil { quantity["system"] = .string(ReleaseConversion.ucum) }
        var part = part
        part.value = .object(quantity)
        keep(part, as: key, in: context, into: &output)
    }

    private static let ucum = "http://unitsofmeasure.org"

    /// UCUM's codes for common names of time units.
    private static let times: [String: String] = [
        "s": "s", "sec": "s", "second": "s", "seconds": "s", "min": "min", "minute": "min", "minutes": "min",
        "h": "h", "hr": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "wk": "wk", "week": "wk",
        "weeks": "wk", "mo": "mo", "month": "mo", "months": "mo", "a": "a", "year": "a", "years": "a", "ms": "ms",
    ]
}
