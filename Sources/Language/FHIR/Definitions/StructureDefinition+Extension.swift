extension StructureDefinition {
    /// Returns the definition of an extension with one value (<https://hl7.org/fhir/R4/defining-extensions.html>).
    ///
    /// - Parameters:
    ///   - id: the id of the resource; FHIR permits letters, digits, `-` and `.`.
    /// - url: the URL of the extension.
    ///   - name: a name for programs: a letter, then letters, digits and `_`.
    ///   - title: the name shown to people.
    /// - text: the meaning of the extension, in a sentence.
    /// - contexts: the elements that it may extend, for example `Observation` or `Observation.component`.
    ///   - valueType: the type of its value, for example `boolean`.
    /// - isRepeated: whether one element may have it more than once.
    public static func ofExtension(
        id: String, url: String, name: String, title: String, text: String, contexts: [String], valueType: String,
        isRepeated: Bool = false
    ) -> StructureDefinition {
        var definition = StructureDefinition(
            id: id, url: url, name: name, status: .active, kind: .complexType, abstract: false, type: "Extension")
        definition.title = title
        definition.description = text
        definition.fhirVersion = .v4_0_1
        definition.context = contexts.map { Context(type: .element, expression: $0) }
        definition.baseDefinition = "http://hl7.org/fhir/StructureDefinition/Extension"
        definition.derivation = .constraint
        var root = ElementDefinition(path: "Extension")
        root.id = "Extension"
        root.short = title
        root.definition = text
        root.min = 0
        root.max = isRepeated ? "*" : "1"
        var nested = ElementDefinition(path: "Extension.extension")
        nested.id = "Extension.extension"
        nested.max = "0"
        var fixed = ElementDefinition(path: "Extension.url")
        fixed.id = "Extension.url"
        fixed.fixed = .uri(url)
        var value = ElementDefinition(path: "Extension.value[x]")
        value.id = "Extension.value[x]"
        value.min = 1
        value.type = [ElementDefinition.TypeReference(code: valueType)]
        definition.differential = Differential(element: [root, nested, fixed, value])
        return definition
    }
}
