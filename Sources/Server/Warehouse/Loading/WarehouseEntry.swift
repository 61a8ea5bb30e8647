import FHIR
import Foundation

/// The entry that the warehouse takes from one resource: made without the database, so that its cost is known before
/// anything is written. It is a class, as thousands are moved from hand to hand together.
public final class WarehouseEntry: Sendable {
    /// Rows that the resources of one submission may need together.
    public static let maximumRows = 50_000
    /// Concepts that the resources of one submission may use together, those of published forms not counted.
    public static let maximumConcepts = 1_000

    /// A participant or a consent, which have rows of their own and no facts.
    enum Subject: Sendable {
        case patient(Patient)
        case contract(Contract)
        case consent(FHIR.Consent)
    }

    let subject: Subject?
    let form: SurveyConcepts?
    /// nil for a type that has none.
    let facts: PreparedFacts?
    /// Concepts that the facts use and that no published form has.
    let concepts: [ConceptUse]
    let warnings: Set<LoadWarning>

    /// - Parameters:
    ///   - resource: as it is recorded.
    ///   - id: the id that it is recorded under; nil where it bears it.
    ///   - form: the concepts of the form that a response answers.
    ///   - health: the study's types.
    ///   - receivedAt: when it came: the time of last resort.
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    public convenience init(
        _ resource: Resource, id: String? = nil, form: SurveyConcepts?, health: HealthConceptTable = .standard,
        receivedAt: Date
    ) throws(WarehouseError) {
        self.init(
            storable: StorableText.resource(resource), id: id ?? resource.id ?? "", form: form, health: health,
            receivedAt: receivedAt)
        try Self.check([self])
    }

    /// The entry of a resource whose texts can be stored, of any size: what is recorded was bounded when it came.
    convenience init(
        storable resource: Resource, id: String, form: SurveyConcepts?, health: HealthConceptTable, receivedAt: Date
    ) {
        self.init(
            FactMapping.facts(of: resource, survey: form, health: health, receivedAt: receivedAt),
            type: resource.resourceType, id: id, form: form, subject: Self.subject(of: resource, id: id))
    }

    /// Whether anything is written of it.
    var hasRows: Bool { facts != nil || subject != nil }

    /// The facts of an observation that the site itself loads, which is not bounded.
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

    /// Rows that loading it writes: those of its facts and their modifiers, the visit, the two of its number, and that of
    /// what is loaded; one of a participant or a consent.
    public var rowCount: Int { facts.map { $0.rowCount + 4 } ?? 1 }

    /// Sees that the resources of one submission are within bounds together.
    ///
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    public static func check(_ entries: [WarehouseEntry]) throws(WarehouseError) {
        guard entries.reduce(0, { $0 + $1.rowCount }) <= maximumRows else { throw .tooManyFacts }
        var codes: Set<String> = []
        for entry in entries { codes.formUnion(entry.concepts.lazy.map(\.code)) }
        guard codes.count <= maximumConcepts else { throw .tooManyConcepts }
    }
}
