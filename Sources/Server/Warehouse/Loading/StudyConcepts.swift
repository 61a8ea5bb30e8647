import FHIR
import Foundation

/// The published forms and types of a study, for making facts.
package struct StudyConcepts: Sendable {
    let form: @Sendable (_ name: String) -> SurveyConcepts?
    let health: HealthConceptTable
    /// A digest that differs when the published forms or types change.
    let digest: String

    /// - Parameters:
    ///   - forms: the published forms.
    ///   - form: returns one of them by its name in a response.
    package init(
        forms: [SurveyConcepts], health: HealthConceptTable,
        form: @escaping @Sendable (_ name: String) -> SurveyConcepts?
    ) {
        self.form = form
        self.health = health
        let types = health.concepts.map { "\($0.identifier)\u{1}\($0.conceptCode ?? "")\u{1}\($0.ucum ?? "")" }
        digest = ConceptCode.hash((forms.map(\.digest).sorted() + types).joined(separator: "\u{2}"), 64)
    }

    /// Returns the entry of a recorded resource. Its size was checked on arrival.
    ///
    /// - Parameter content: the recorded bytes.
    func entry(of content: Data, id: String, receivedAt: Date) throws(ResourceError) -> WarehouseEntry {
        let resource = StorableText.resource(try Resource(content), of: content)
        let response = resource.as(QuestionnaireResponse.self)
        return WarehouseEntry(
            storable: resource, id: id, form: response?.questionnaire.flatMap { form($0) }, health: health,
            receivedAt: receivedAt)
    }
}
