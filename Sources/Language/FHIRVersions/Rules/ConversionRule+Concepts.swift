import FHIR

extension ConversionRule {
    /// Standard extensions of DSTU2's value sets that became elements in R4, or other extensions of code definitions
    /// (<https://hl7.org/fhir/R4/codesystem.html>).
    static let concepts: [String: Rule] = [
        "ValueSet.extensible": extensible,
        "ValueSet.codeSystem.extension": identifier,
        "ValueSet.codeSystem.concept.extension": { part, place, output, conversion in
            for pair in part.pairs where !deprecated(pair, place, &output, &conversion) {
                comments(part.with(pair), "codesystem-concept-comments", place, &output, &conversion)
            }
        },
        "ValueSet.compose.include.concept.extension": { part, place, output, conversion in
            for pair in part.pairs {
                comments(part.with(pair), "valueset-concept-comments", place, &output, &conversion)
            }
        },
    ]

    private static let extensions = "http://hl7.org/fhir/StructureDefinition/"

    /// Converts the element into R4's standard extension.
    private static let extensible: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            let path = "ValueSet.extensible"
            let value = conversion.value(pair.value, (from: "", to: nil), type: "boolean", path, pair.trail)
            if value == nil, pair.value != .null { conversion.noteForm(path, pair.trail) }
            let sibling = conversion.sibling(pair.sibling, pair.trail)
            guard value != nil || sibling != .null else { continue }
            output.extend(extensions + "valueset-extensible", type: "boolean", value: value ?? .null, sibling: sibling)
            conversion.note(.moved, path, "R4 has a standard extension for it", pair.trail)
        }
    }

    /// Returns the value of an extension with the URL and only this value; nil for any other.
    private static func plain(_ json: JSON, _ name: String, _ key: String) -> JSON? {
        guard let object = json.object, object.count == 2, object["url"]?.string == extensions + name else {
            return nil
        }
        return object[key]
    }

    /// Converts the OID of a code system, which is an identifier in R4.
    private static let identifier: Rule = { part, place, output, conversion in
        for pair in part.pairs {
            guard let oid = plain(pair.value, "valueset-oid", "valueUri")?.string, !oid.isEmpty else {
                conversion.keep(part.with(pair), as: "extension", place, &output)
                continue
            }
            let tidy = oid.filter { !$0.isWhitespace }
            if tidy != oid {
                conversion.note(.changed, place.from + ".extension", "spaces around it", pair.trail.member("valueUri"))
            }
            conversion.note(.changed, place.from + ".extension", "it is R4's identifier", pair.trail.member("url"))
            output.append(["system": "urn:ietf:rfc:3986", "value": .string(tidy)], to: "identifier")
        }
    }

    /// Converts the mark of a deprecated code, which is a property in R4; false if the extension is another one.
    private static func deprecated(
        _ pair: ConversionPart.Pair, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) -> Bool {
        guard plain(pair.value, "valueset-deprecated", "valueBoolean")?.bool == true else { return false }
        output.append(["code": "status", "valueCode": "deprecated"], to: "property")
        conversion.note(.changed, place.from + ".extension", "it is R4's property status", pair.trail)
        return true
    }

    private static func comments(
        _ part: ConversionPart, _ name: String, _ place: ConversionPlace, _ output: inout ConversionOutput,
        _ conversion: inout Conversion
    ) {
        var part = part
        if part.value?["url"]?.string == extensions + "valueset-comments" {
            part.value?["url"] = .string(extensions + name)
            conversion.note(
                .changed, place.from + ".extension", "R4's name is \(extensions + name)", part.trail.member("url"))
        }
        conversion.keep(part, as: "extension", place, &output)
    }
}
