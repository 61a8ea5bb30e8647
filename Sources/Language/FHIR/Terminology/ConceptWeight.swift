/// The weight of a concept in a value set, for scores
/// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>).
enum ConceptWeight {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    /// The extensions of a concept with its weight, in order of priority.
    private static let urls = OptionWeight.urls + [core + "codesystem-ordinalValue", core + "valueset-ordinalValue"]
    /// R5's property of a concept in an expansion, as an extension of R4
    /// (<https://hl7.org/fhir/R5/valueset-definitions.html#ValueSet.expansion.contains.property>).
    private static let property =
        "http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property"
    private static let propertyCodes: Set<String> = ["itemWeight", "ordinalValue", "score", "weight"]

    /// Returns the weight in the extensions of a concept or coding.
    static func number(in extensions: [Extension]) -> JSONNumber? {
        guard !extensions.isEmpty else { return nil }
        if let number = OptionWeight.number(in: extensions, of: urls) { return number }
        for property in extensions where property.url == Self.property {
            guard let code = property.extension("code")?.value?.json.string, propertyCodes.contains(code) else {
                continue
            }
            if let number = property.extension("value")?.value?.json.number { return number }
        }
        return nil
    }

    /// Returns a coding with the weight of its concept as an extension.
    static func marked(_ coding: Coding, by extensions: [Extension]) -> Coding {
        guard let weight = number(in: extensions) else { return coding }
        var coding = coding
        var mark = Extension(url: OptionWeight.urls[0])
        mark.value = OpenChoice(type: "Decimal", json: .number(weight))
        coding.extension = [mark]
        return coding
    }
}
