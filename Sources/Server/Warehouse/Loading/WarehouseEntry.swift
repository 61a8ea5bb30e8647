import FHIR
import Foundation

/// The entry of one resource for the warehouse. It is made without the database, so that its cost is known before
/// anything is written. A class, because thousands are passed around together.
package final class WarehouseEntry: Sendable {
    /// Maximum rows for the resources of one submission.
    package static let maximumRows = 50_000
    /// Maximum concepts for the resources of one submission, without those of published forms.
    package static let maximumConcepts = 1_000

    /// A participant or a consent, which have rows of their own and no facts.
    enum Subject: Sendable {
        case patient(Patient)
        case contract(Contract)
        case consent(FHIR.Consent)
    }

    let subject: Subject?
    let form: SurveyConcepts?
    /// nil for a type without facts.
    let facts: PreparedFacts?
    /// Concepts that the facts use and that no published form contains.
    let concepts: [ConceptUse]
    let warnings: Set<LoadWarning>

    /// - Parameters:
    ///   - resource: the resource as it is recorded.
    ///   - id: the id of the record; nil if the resource contains it.
    ///   - form: the concepts of a response's form.
    ///   - health: the study's types.
    ///   - receivedAt: the time of receipt, as the fallback for the time of the facts.
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    package convenience init(
        _ resource: Resource, id: String? = nil, form: SurveyConcepts?, health: HealthConceptTable = .standard,
        receivedAt: Date
    ) throws(WarehouseError) {
        self.init(
            storable: StorableText.resource(resource), id: id ?? resource.id ?? "", form: form, health: health,
            receivedAt: receivedAt)
        try Self.check([self])
    }

    /// Creates the entry of a resource without zero bytes, of any size: recorded resources were checked on arrival.
    convenience init(
        storable resource: Resource, id: String, form: SurveyConcepts?, health: HealthConceptTable, receivedAt: Date
    ) {
        self.init(
            FactMapping.facts(of: resource, survey: form, health: health, receivedAt: receivedAt),
            type: resource.resourceType, id: id, form: form, subject: Self.subject(of: resource, id: id))
    }

    /// Whether the entry has rows to write.
    var hasRows: Bool { facts != nil || subject != nil }

    /// Creates the entry of an observation that the site itself loads, without a limit.
    convenience init(_ found: FactSet, ofObservation id: String) {
        self.init(found, type: Observation.resourceType, id: id, form: nil, subject: nil)
    }

    private init(_ found: FactSet?, type: String, id: String, form: SurveyConcepts?, subject: Subject?) {
        facts = found.map {
            PreparedFacts(
                type: type, id: id, facts: $0.facts, time: $0.time, source: $0.source,
                isOfDay: type == Observation.resourceType)
        }
        concepts = found?.concepts ?? []
        warnings = found?.warnings ?? []
        self.form = form
        self.subject = subject
    }

    private static func subject(of resource: Resource, id: String) -> Subject? {
        switch resource.resourceType {
        case Patient.resourceType: return .patient(Patient(resource.object))
        case Contract.resourceType:
            var contract = Contract(resource.object)
            contract.id = id
            return .contract(contract)
        case FHIR.Consent.resourceType: return .consent(FHIR.Consent(resource.object))
        default: return nil
        }
    }

    /// The number of rows that loading writes: the facts and their modifiers, the visit, two mappings of the
    /// encounter, and the loaded state; one for a participant or a consent.
    package var rowCount: Int { facts.map { $0.rowCount + 4 } ?? 1 }

    /// Checks that the resources of one submission are within the limits together.
    ///
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    package static func check(_ entries: [WarehouseEntry]) throws(WarehouseError) {
        guard entries.reduce(0, { $0 + $1.rowCount }) <= maximumRows else { throw .tooManyFacts }
        var codes: Set<String> = []
        for entry in entries { codes.formUnion(entry.concepts.lazy.map(\.code)) }
        guard codes.count <= maximumConcepts else { throw .tooManyConcepts }
    }
}
