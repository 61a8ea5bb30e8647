import FHIR

extension ConversionRule {
    /// Standard extensions of DSTU2's value sets that became elements in R4, or other extensions of code definitions
    /// (<https://hl7.org/fhir/R4/codesystem.html>).
    static let concepts: [String: Rule] = [
        "ValueSet.extensible": extensible,
        "ValueSet.codeSystem.extension": identifier,
        "ValueSet.codeSystem.concept.extension": { part, context, output, conversion in
            for pair in part.pairs where !deprecated(pair, in: context, output: &output, conversion: &conversion) {
                comments(
                    part.with(pair), name: "codesystem-concept-comments", in: context, output: &output,
                    conversion: &conversion)
            }
        },
        "ValueSet.compose.include.concept.extension": { part, context, output, conversion in
            for pair in part.pairs {
                comments(
                    part.with(pair), name: "valueset-concept-comments", in: context, output: &output,
                    conversion: &conversion)
            }
        },
    ]

    private static let extensions = "http://hl7.org/fhir/StructureDefinition/"

    /// Converts the element into R4's standard extension.
    private static let extensible: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            let path = "ValueSet.extensible"
            let value = conversion.value(
                pair.value, inside: (from: "", to: nil), type: "boolean", path: path, at: pair.trail)
            if value == nil, pair.value != .null { conversion.addFormNote(path, at: pair.trail) }
            let sibling = conversion.sibling(pair.sibling, at: pair.trail)
            guard value != nil || sibling != .null else { continue }
            output.extend(extensions + "valueset-extensible", type: "boolean", value: value ?? .null, sibling: sibling)
            conversion.addNote(.moved, path: path, detail: "R4 has a standard extension for it", at: pair.trail)
        }
    }

    /// Returns the value of an extension with the URL and only this value; nil for any other.
    private static func plain(_ json: JSON, name: String, key: String) -> JSON? {
        guard let object = json.object, object.count == 2, object["url"]?.string == extensions + name else {
            return nil
        }
        return object[key]
    }

    /// Converts the OID of a code system, which is an identifier in R4.
    private static let identifier: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let oid = plain(pair.value, name: "valueset-oid", key: "valueUri")?.string, !oid.isEmpty else {
                conversion.keep(part.with(pair), as: "extension", in: context, into: &output)
                continue
            }
            let tidy = oid.filter { !$0.isWhitespace }
            if tidy != oid {
                conversion.addNote(
                    .changed, path: context.from + ".extension", detail: "spaces around it",
                    at: pair.trail.member("valueUri"))
            }
            conversion.addNote(
                .changed, path: context.from + ".extension", detail: "it is R4's identifier",
                at: pair.trail.member("url"))
            output.append(["system": "urn:ietf:rfc:3986", "value": .string(tidy)], to: "identifier")
        }
    }

    /// Converts the mark of a deprecated code, which is a property in R4; false if the extension is another one.
    private static func deprecated(
        _ pair: ConversionPart.Pair, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) -> Bool {
        guard plain(pair.value, name: "valueset-deprecated", key: "valueBoolean")?.bool == true else { return false }
        output.append(["code": "status", "valueCode": "deprecated"], to: "property")
        conversion.addNote(
            .changed, path: context.from + ".extension", detail: "it is R4's property status", at: pair.trail)
        return true
    }

    private static func comments(
        _ part: ConversionPart, name: String, in context: ConversionContext, output: inout ConversionOutput,
        conversion: inout ReleaseConversion
    ) {
        var part = part
        if part.value?["url"]?.string == extensions + "valueset-comments" {
            part.value?["url"] = .string(extensions + name)
            conversion.addNote(
                .changed, path: context.from + ".extension", detail: "R4's name is \(extensions + name)",
                at: part.trail.member("url"))
        }
        conversion.keep(part, as: "extension", in: context, into: &output)
    }
}
