import FHIR

/// The URLs of the extensions that the operations read (<https://hl7.org/fhir/uv/sdc/>).
enum OperationExtension {
    private static let core = "http://hl7.org/fhir/StructureDefinition/"
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    // Extraction.
    static let allocateID = sdc + "extractAllocateId"
    static let observationExtract = sdc + "observationExtract"
    static let observationCategory = sdc + "observation-extract-category"
    static let observationEntry = sdc + "observationExtractEntry"
    static let definitionExtract = sdc + "definitionExtract"
    static let definitionValue = sdc + "definitionExtractValue"
    static let extractionContext = sdc + "itemExtractionContext"
    static let templateExtract = sdc + "templateExtract"
    static let templateBundle = sdc + "templateExtractBundle"
    static let templateContext = sdc + "templateExtractContext"
    static let templateValue = sdc + "templateExtractValue"
    static let targetStructureMap = sdc + "targetStructureMap"
    static let unit = core + "questionnaire-unit"

    // Population.
    static let observationLinkPeriod = sdc + "observationLinkPeriod"

    // Assembly.
    static let subQuestionnaire = sdc + "subQuestionnaire"
    static let assembleContext = sdc + "assembleContext"
    static let assembledFrom = sdc + "assembledFrom"
    static let assembleExpectation = sdc + "assemble-expectation"
    static let launchContext = sdc + "launchContext"
    static let variable = core + "variable"
    static let targetConstraint = core + "targetConstraint"
    static let library = core + "cqf-library"
    static let adaptive = sdc + "questionnaireAdaptive"
    static let populationContext = sdc + "itemPopulationContext"

    /// Extensions whose values a sub-form may repeat from its parent, but not change.
    static let agreeing = [
        sdc + "endpoint", sdc + "entryMode", sdc + "performerType", core + "rendering-criticalExtension",
        "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-rendering-criticalExtension",
    ]

    /// Extensions that the root of a sub-form must not have.
    static let forbiddenInParts = [
        adaptive, definitionExtract, extractionContext, populationContext, observationExtract, observationCategory,
        observationLinkPeriod, sdc + "preferredTerminologyServer", templateExtract, templateBundle, templateContext,
    ]
}

extension Extension {
    /// The value of the part with a name, in an extension of several parts.
    func part(_ name: String) -> OpenChoice? { self.extension(name)?.value }

    /// The text of the value: of a string, or the expression of an Expression in FHIRPath. Nil for any other value and
    /// for another language.
    var fhirPath: String? { value.flatMap(Extension.fhirPath) }

    /// Returns the FHIRPath of a text or of an Expression.
    static func fhirPath(_ value: OpenChoice) -> String? {
        if let text = value.json.string { return text }
        guard [nil, "text/fhirpath"].contains(value.json["language"]?.string) else { return nil }
        return value.json["expression"]?.string
    }

    /// The last part of the URL, for a sentence.
    var shortName: String { (url ?? "").split(separator: "/").last.map(String.init) ?? "" }
}
