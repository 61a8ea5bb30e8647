/// The URLs of the extensions that are read.
enum FormExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/"

    // What is asked and shown.
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

    // What an answer must keep to.
    /// The extensions that give the least value, the one that counts first before the others. Norway's is a text of FHIRPath,
    /// which builders of forms for ResearchKit write too.
    static let minima = [
        sdc + "sdc-questionnaire-minQuantity", core + "minValue",
        "http://ehelse.no/fhir/StructureDefinition/sdf-minvalue",
    ]
    /// The extensions that give the greatest value.
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

    /// Names a form whose items are to be put in the item's stead
    /// (<https://hl7.org/fhir/uv/sdc/modular.html>).
    static let subQuestionnaire = sdc + "sdc-questionnaire-subQuestionnaire"

    /// Of an item (valueBoolean): attachments that cannot be cleaned are taken as they are, whatever they say besides.
    static let attachmentAsIs = "urn:tributary:attachment-as-is"

    // How it is shown.
    static let itemControl = core + "questionnaire-itemControl"
    static let itemControlSystem = "http://hl7.org/fhir/questionnaire-item-control"

    // Expressions; of these the limits alone are evaluated.
    static let enableWhenExpression = sdc + "sdc-questionnaire-enableWhenExpression"
    static let computed = [
        core + "questionnaire-constraint", core + "targetConstraint", core + "questionnaire-initialExpression",
        sdc + "sdc-questionnaire-initialExpression", sdc + "sdc-questionnaire-calculatedExpression",
        sdc + "sdc-questionnaire-answerExpression",
    ]
    static let calculatedValues: Set<String?> = [
        core + "cqf-calculatedValue", core + "cqf-expression", sdc + "sdc-questionnaire-calculatedValue",
    ]
}
