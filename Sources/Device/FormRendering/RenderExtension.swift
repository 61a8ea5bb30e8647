import Questionnaires

/// The URLs of the extensions that decide about the display of a form.
enum RenderExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
    private static let bdh = "http://bdh.stanford.edu/fhir/StructureDefinition/"

    // Texts.
    static let style = core + "rendering-style"
    static let markdown = core + "rendering-markdown"
    static let xhtml = core + "rendering-xhtml"

    // Items.
    static let sliderStep = core + "questionnaire-sliderStepValue"
    static let orientation = core + "questionnaire-choiceOrientation"
    static let category = core + "questionnaire-displayCategory"
    static let supportLink = core + "questionnaire-supportLink"
    static let collapsible = sdc + "collapsible"
    static let columnCount = sdc + "columnCount"
    static let width = sdc + "width"
    static let shortText = sdc + "shortText"
    static let keyboard = sdc + "keyboard"
    static let openLabel = sdc + "openLabel"
    static let choiceColumn = sdc + "choiceColumn"
    static let media = sdc + "itemMedia"
    static let answerMedia = sdc + "itemAnswerMedia"
    static let keyboardType = bdh + "ios-keyboardtype"
    static let contentType = bdh + "ios-textcontenttype"
    static let capitalization = bdh + "ios-autocapitalizationType"
    /// R5's element as an extension of R4 (<https://hl7.org/fhir/R5/versions.html#extensions>).
    static let disabledDisplay =
        "http://hl7.org/fhir/5.0/StructureDefinition/extension-Questionnaire.item.disabledDisplay"

    // The form.
    static let entryMode = sdc + "entryMode"
}
