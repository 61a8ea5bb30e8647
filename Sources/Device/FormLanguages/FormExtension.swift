/// The URLs of the supported extensions.
package enum FormExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"

    // Display.
    package static let hidden = core + "questionnaire-hidden"
    package static let entryFormat = core + "entryFormat"
    package static let optionExclusive = core + "questionnaire-optionExclusive"
    package static let optionPrefix = core + "questionnaire-optionPrefix"
    package static let validationTexts = [
        "http://bdh.stanford.edu/fhir/StructureDefinition/validationtext",
        "http://biodesign.stanford.edu/fhir/StructureDefinition/validationtext",
    ]

    // Units.
    package static let unit = core + "questionnaire-unit"
    package static let unitOption = core + "questionnaire-unitOption"
    package static let unitValueSet = core + "questionnaire-unitValueSet"
    package static let unitOpen = sdc + "sdc-questionnaire-unitOpen"

    // Limits of answers.
    /// The extensions of the minimum, in order of priority. Norway's extension contains FHIRPath text, and is also
    /// written by form builders for ResearchKit.
    package static let minima = [
        sdc + "sdc-questionnaire-minQuantity", core + "minValue",
        "http://ehelse.no/fhir/StructureDefinition/sdf-minvalue",
    ]
    /// The extensions of the maximum.
    package static let maxima = [
        sdc + "sdc-questionnaire-maxQuantity", core + "maxValue",
        "http://ehelse.no/fhir/StructureDefinition/sdf-maxvalue",
    ]
    package static let minLength = core + "minLength"
    package static let regex = core + "regex"
    package static let maxDecimalPlaces = core + "maxDecimalPlaces"
    package static let mimeType = core + "mimeType"
    package static let maxSize = core + "maxSize"
    package static let minOccurs = core + "questionnaire-minOccurs"
    package static let maxOccurs = core + "questionnaire-maxOccurs"
    package static let referenceResource = core + "questionnaire-referenceResource"

    /// Refers to a form whose items replace the item (<https://hl7.org/fhir/uv/sdc/modular.html>).
    package static let subQuestionnaire = sdc + "sdc-questionnaire-subQuestionnaire"

    /// Extension of an item (valueBoolean): attachments that cannot be cleaned are accepted unchanged, with all their
    /// metadata.
    package static let attachmentAsIs = "urn:tributary:attachment-as-is"

    // Controls.
    package static let itemControl = core + "questionnaire-itemControl"
    package static let itemControlSystem = "http://hl7.org/fhir/questionnaire-item-control"

    // Expressions.
    package static let variable = core + "variable"
    package static let launchContext = sdc + "sdc-questionnaire-launchContext"
    package static let itemPopulationContext = sdc + "sdc-questionnaire-itemPopulationContext"
    package static let initialExpressions: Set<String> = [
        sdc + "sdc-questionnaire-initialExpression", core + "questionnaire-initialExpression",
    ]
    package static let calculatedExpression = sdc + "sdc-questionnaire-calculatedExpression"
    package static let enableWhenExpression = sdc + "sdc-questionnaire-enableWhenExpression"
    package static let answerExpression = sdc + "sdc-questionnaire-answerExpression"
    package static let candidateExpression = sdc + "sdc-questionnaire-candidateExpression"
    package static let choiceColumn = sdc + "sdc-questionnaire-choiceColumn"
    package static let answerOptionsToggle = sdc + "sdc-questionnaire-answerOptionsToggleExpression"
    package static let constraint = core + "questionnaire-constraint"
    package static let targetConstraint = core + "targetConstraint"
    package static let cqfExpression = core + "cqf-expression"
    package static let calculatedValues: Set<String?> = [
        core + "cqf-calculatedValue", core + "cqf-expression", sdc + "sdc-questionnaire-calculatedValue",
    ]
}
