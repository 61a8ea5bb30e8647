import FHIR
import Foundation

/// What a study publishes, as facts are made by it.
public struct StudyConcepts: Sendable {
    let form: @Sendable (_ name: String) -> SurveyConcepts?
    let health: HealthConceptTable
    /// Tells it from what the study published at another time.
    let digest: String

    /// - Parameters:
    ///   - forms: the published forms.
    ///   - form: finds one of them by the name that a response has for it.
    public init(
        forms: [SurveyConcepts], health: HealthConceptTable,
        form: @escaping @Sendable (_ name: String) -> SurveyConcepts?
    ) {
        self.form = form
        self.health = health
        let types = health.concepts.map { "\($0.identifier)\u{1}\($0.conceptCode ?? "")\u{1}\($0.ucum ?? "")" }
        digest = ConceptCode.hash((forms.map(\.digest).sorted() + types).joined(separator: "\u{2}"), 64)
    }

    /// The entry that the warehouse takes of a resource as it is recorded. It was bounded when it came.
    ///
    /// - Parameter content: the bytes as they are recorded.
    func entry(of content: Data, id: String, receivedAt: Date) throws(ResourceError) -> WarehouseEntry {
        let resource = StorableText.resource(try Resource(content), of: content)
        let response = resource.as(QuestionnaireResponse.self)
        return WarehouseEntry(
            storable: resource, id: id, form: response?.questionnaire.flatMap { form($0) }, health: health,
            receivedAt: receivedAt)
    }
}
