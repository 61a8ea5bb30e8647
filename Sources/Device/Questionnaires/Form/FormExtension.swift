/// The URLs of the supported extensions.
enum FormExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"

    // Display.
    static let hidden = core + "questionnaire-hidden"
    static let entryFormat = core + "entryFormat"
    static let optionExclusive = core + "questionnaire-optionExclusive"
    static let optionPrefix = core + "questionnaire-optionPrefix"
    static let validationTexts = [
        "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
        "http://biodesign.stanford.edu/fhir/StructureDefinition/validationtext",
    ]

    // Units.
    static let unit = core + "questionnaire-unit"
    static let unitOption = core + "questionnaire-unitOption"
    static let unitValueSet = core + "questionnaire-unitValueSet"
    static let unitOpen = sdc + "sdc-questionnaire-unitOpen"

    // Limits of answers.
    /// The extensions of the minimum, in order of priority. Norway's extension contains FHIRPath text, and is also
    /// written by form builders for ResearchKit.
    static let minima = [
        sdc + "sdc-questionnaire-minQuantity", core + "minValue",
        "http://ehelse.no/fhir/StructureDefinition/sdf-minvalue",
    ]
    /// The extensions of the maximum.
    static let maxima = [
        sdc + "sdc-questionnaire-maxQuantity", core + "maxValue",
        "http://ehelse.no/fhir/StructureDefinition/sdf-maxvalue",
    ]
    static let minLength = core + "minLength"
    static let regex = core + "regex"
    static let maxDecimalPlaces = core + "maxDecimalPlaces"
    static let mimeType = core + "mimeType"
    static let maxSize = core + "maxSize"
    static let minOccurs = core + "questionnaire-minOccurs"
    static let maxOccurs = core + "questionnaire-maxOccurs"
    static let referenceResource = core + "questionnaire-referenceResource"

    /// Refers to a form whose items replace the item (<https://hl7.org/fhir/uv/sdc/modular.html>).
    static let subQuestionnaire = sdc + "sdc-questionnaire-subQuestionnaire"

    /// Extension of an item (valueBoolean): attachments that cannot be cleaned are accepted unchanged, with all their
    /// metadata.
    static let attachmentAsIs = "urn:tributary:attachment-as-is"

    // Controls.
    static let itemControl = core + "questionnaire-itemControl"
    static let itemControlSystem = "http://hl7.org/fhir/questionnaire-item-control"

    // Expressions.
    static let variable = core + "variable"
    static let launchContext = sdc + "sdc-questionnaire-launchContext"
    static let itemPopulationContext = sdc + "sdc-questionnaire-itemPopulationContext"
    static let initialExpressions: Set<String> = [
        sdc + "sdc-questionnaire-initialExpression", core + "questionnaire-initialExpression",
    ]
    static let calculatedExpression = sdc + "sdc-questionnaire-calculatedExpression"
    static let enableWhenExpression = sdc + "sdc-questionnaire-enableWhenExpression"
    static let answerExpression = sdc + "sdc-questionnaire-answerExpression"
    static let candidateExpression = sdc + "sdc-questionnaire-candidateExpression"
    static let answerOptionsToggle = sdc + "sdc-questionnaire-answerOptionsToggleExpression"
    static let choiceColumn = sdc + "sdc-questionnaire-choiceColumn"
    static let constraint = core + "questionnaire-constraint"
    static let targetConstraint = core + "targetConstraint"
    static let cqfExpression = core + "cqf-expression"
    /// The extensions with the weight of an option, in order of priority
    /// (<https://hl7.org/fhir/extensions/StructureDefinition-itemWeight.html>).
    static let weights = [
        core + "itemWeight", core + "ordinalValue", core + "questionnaire-ordinalValue",
        core + "iso21090-CO-value",
        "http://fhir.org/guides/argonaut-questionnaire/StructureDefinition/extension-score",
    ]
    static let calculatedValues: Set<String?> = [
        core + "cqf-calculatedValue", core + "cqf-expression", sdc + "sdc-questionnaire-calculatedValue",
    ]
}
