import FHIR
import Foundation

/// What the warehouse takes from one resource: made without the database, so that its cost is known before anything is
/// written.
public struct WarehouseEntry: Sendable {
    /// Rows that the resources of one submission may need together.
    public static let maximumRows = 50_000
    /// Concepts that the resources of one submission may use together, those of published forms not counted.
    public static let maximumConcepts = 1_000

    /// What is written of a participant or of a consent, which have rows of their own and no facts.
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
    ///   - receivedAt: when it came: the time of last resort.
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    public init(
        _ resource: Resource, id: String? = nil, form: SurveyConcepts?, receivedAt: Date
    ) throws(WarehouseError) {
        self.init(unbounded: resource, id: id ?? resource.id ?? "", form: form, receivedAt: receivedAt)
        try Self.check([self])
    }

    /// What the site itself loads is not bounded.
    init(unbounded resource: Resource, id: String, form: SurveyConcepts?, receivedAt: Date) {
        let resource = StorableText.resource(resource)
        let found = FactMapping.facts(of: resource, survey: form, receivedAt: receivedAt)
        facts = found.map { PreparedFacts(ide: "\(resource.resourceType)/\(id)", facts: $0.facts, time: $0.time) }
        concepts = found?.concepts ?? []
        warnings = found?.warnings ?? []
        self.form = form
        switch resource.resourceType {
        case Patient.resourceType: subject = .patient(Patient(resource.object))
        case Contract.resourceType:
            var contract = Contract(resource.object)
            contract.id = id
            subject = .contract(contract)
        case FHIR.Consent.resourceType: subject = .consent(FHIR.Consent(resource.object))
        default: subject = nil
        }
    }

    /// Rows that loading it writes: two of each fact, which has the modifier of its time beside it, the visit and the two
    /// of its number; one of a participant or a consent.
    public var rowCount: Int { facts.map { $0.facts.count * 2 + 3 } ?? 1 }

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
