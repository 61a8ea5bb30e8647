import FHIR

/// The expressions of a form that can decide whether an answer is valid.
struct FormExpressions {
    /// The texts of the expressions.
    private(set) var texts: [String] = []

    /// Extensions whose expressions run before anything is answered, or only offer answers.
    private static let harmless: Set<String> = Set(
        ["initialExpression", "candidateExpression", "contextExpression", "itemPopulationContext"].map {
            "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-" + $0
        })

    init(_ questionnaire: Questionnaire) { visit(.object(questionnaire.object), depth: 0) }

    private mutating func visit(_ value: JSON, depth: Int) {
        guard depth < 200 else { return }
        if let elements = value.array {
            for element in elements { visit(element, depth: depth + 1) }
            return
        }
        guard let object = value.object else { return }
        if let url = object["url"]?.string {
            if Self.harmless.contains(url) { return }
            // The expression of a constraint is a string.
            if url == "expression", let text = object["valueString"]?.string { texts.append(text) }
            if let text = object["valueExpression"]?["expression"]?.string { texts.append(text) }
        }
        for member in object.members where member.key != "contained" { visit(member.value, depth: depth + 1) }
    }

    func mention(_ word: String) -> Bool { texts.contains { $0.contains(word) } }

    /// Whether an expression reads the form itself, so that its value can change with any element.
    var readForm: Bool { mention("%questionnaire") || mention("%qitem") }

    /// Whether an expression reads the weights of options.
    var readWeights: Bool { mention("weight(") || mention("ordinal(") || readForm }

    /// Whether an expression reads contained resources.
    var readContained: Bool { mention("memberOf") || mention("'#") || readWeights }
}
