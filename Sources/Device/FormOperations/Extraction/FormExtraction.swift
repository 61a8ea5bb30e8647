import FHIR
import Foundation
import Questionnaires

/// Extracts resources from a response, as its form specifies: by observation, by definition and by template
/// (<https://hl7.org/fhir/uv/sdc/extraction.html>).
///
/// The result is one transaction Bundle with the resources of all three kinds. The extraction is pure: it reads no clock
/// and makes no random number; the caller passes both.
///
/// ```swift
/// let extraction = FormExtraction(form)
/// let (bundle, problems) = extraction.extracted(from: response, now: .now()) { UUID() }
/// ```
public struct FormExtraction: Sendable {
    /// The form.
    public let questionnaire: Questionnaire
    /// The limits of one extraction.
    public var limits = OperationLimits()
    private let definition: @Sendable (CanonicalURL) -> StructureDefinition?

    /// - Parameters:
    ///   - questionnaire: the form with the extensions of an extraction.
    ///   - definition: returns a profile for its canonical URL. It is called for profiles of `definitionExtract`, whose
    ///     fixed values and patterns it contains. R4's own types are known.
    public init(
        _ questionnaire: Questionnaire,
        definition: @escaping @Sendable (CanonicalURL) -> StructureDefinition? = { _ in nil }
    ) {
        self.questionnaire = questionnaire
        self.definition = definition
    }

    /// Extracts the resources of a response.
    ///
    /// An error of one property or resource is reported, and the extraction continues with the next. A response without
    /// answers gives no resources, except for those that the root of the form names.
    ///
    /// - Parameters:
    ///   - response: the response. Answers to items that the form does not have are ignored.
    ///   - now: the time of `now()`, with the person's offset.
    ///   - makeUUID: returns a new UUID; it is called for allocated ids and for each entry without its own `fullUrl`.
    /// - Returns: a transaction Bundle, and the problems.
    public func extracted(
        from response: QuestionnaireResponse, now: DateTime, makeUUID: @escaping () -> UUID
    ) -> (bundle: FHIR.Bundle, problems: [OperationProblem]) {
        var run = ExtractionRun(
            questionnaire, response: response, now: now, limits: limits, definition: definition, makeUUID: makeUUID)
        return run.result()
    }
}
