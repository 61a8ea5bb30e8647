import FHIR

extension ConversionRule {
    /// Organization: <https://hl7.org/fhir/DSTU2/organization.html>, <https://hl7.org/fhir/STU3/organization.html>.
    static let organization: [String: Rule] = ["Organization.extension": alias]

    /// Converts DSTU2's standard extension for further names into the element that exists since STU3.
    private static let alias: Rule = { part, context, output, conversion in
        for pair in part.pairs {
            guard let object = pair.value.object, object.count == 2,
                object["url"]?.string == "http://hl7.org/fhir/StructureDefinition/organization-alias",
                let name = object["valueString"]?.string, !name.isEmpty
            else {
                conversion.keep(part.with(pair), as: "extension", in: context, into: &output)
                continue
            }
            conversion.addNote(
                .changed, path: "Organization.extension", detail: "it is R4's alias", at: pair.trail.member("url"))
            output.append(.string(name), to: "alias")
        }
    }
}
