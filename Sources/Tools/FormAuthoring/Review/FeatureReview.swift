import FHIR
import Questionnaires

/// Features of SDC that the library does not have, and forms that must be assembled first.
enum FeatureReview {
    private static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"

    private static let unsupported: [(url: String, code: String, message: Sentence)] = [
        (
            sdc + "sourceStructureMap", "structure-map-not-supported",
            "The form is populated by a StructureMap, which is not evaluated; use initialExpression."
        ),
        (
            sdc + "targetStructureMap", "structure-map-not-supported",
            "Answers are extracted by a StructureMap, which is not evaluated; use templateExtract or definitionExtract."
        ),
        (
            sdc + "questionnaireAdaptive", "adaptive-not-supported",
            "The form is adaptive: a server chooses the next question, which is not supported."
        ),
        (
            "http://hl7.org/fhir/StructureDefinition/questionnaire-signatureRequired", "signature-not-supported",
            "A signature is required, but it is neither asked for nor checked."
        ),
    ]

    /// Returns the problems of the form as a whole.
    static func problems(of questionnaire: Questionnaire) -> [FormProblem] {
        var problems = extensions(of: questionnaire, linkID: nil)
        let expectation = questionnaire.extension(sdc + "assemble-expectation")?.value?.json.string
        if let expectation, expectation.hasPrefix("assemble-") {
            problems.append(
                .warning(
                    "form-not-assembled", nil,
                    message: "The form must be assembled with other forms before it is published (\(expectation))."))
        }
        return problems
    }

    /// Returns the problems of an item.
    static func problems(of item: Questionnaire.Item, linkID: String) -> [FormProblem] {
        extensions(of: item, linkID: linkID)
    }

    private static func extensions(of element: some ElementView, linkID: String?) -> [FormProblem] {
        let given = element.extension
        guard !given.isEmpty else { return [] }
        var problems = unsupported.filter { feature in given.contains { $0.url == feature.url } }.map {
            FormProblem.warning($0.code, linkID, message: $0.message)
        }
        let isCQL = given.contains { $0.value?.json["language"]?.string?.hasPrefix("text/cql") ?? false }
        if isCQL {
            problems.append(
                .warning(
                    "cql-not-supported", linkID,
                    message: "An expression is written in CQL, which is not evaluated; write it in FHIRPath."))
        }
        return problems
    }
}
