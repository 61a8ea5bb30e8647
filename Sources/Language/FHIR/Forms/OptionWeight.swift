/// The extensions that give an option, a coding or an answer a number for scores
/// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>).
package enum OptionWeight {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    /// The URLs, in order of priority. The first one is that of SDC; published forms contain the others.
    package static let urls = [
        core + "itemWeight", core + "ordinalValue", core + "questionnaire-ordinalValue", core + "iso21090-CO-value",
        "http://fhir.org/guides/argonaut-questionnaire/StructureDefinition/extension-score",
    ]

    /// Returns the number of the first extension with a weight.
    package static func number(in extensions: [Extension]) -> JSONNumber? {
        number(in: extensions, of: urls)
    }

    static func number(in extensions: [Extension], of urls: [String]) -> JSONNumber? {
        guard !extensions.isEmpty else { return nil }
        return urls.lazy.compactMap { url in extensions.first { $0.url == url }?.value?.json.number }.first
    }
}
