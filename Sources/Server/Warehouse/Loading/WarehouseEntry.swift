import FHIR
import Foundation

/// What the warehouse takes from one resource: made without the database, so that its cost is known before anything is
/// written.
public struct WarehouseEntry: Sendable {
    /// Rows that the resources of one submission may need together.
    public static let maximumRows = 50_000
    /// Concepts that the resources of one submission may use together, those of published forms not counted.
    public static let maximumConcepts = 1_000

    let resource: Resource
    let form: SurveyConcepts?
    /// nil for a type that has none.
    let facts: FactSet?

    /// - Parameters:
    ///   - resource: with the id that it is recorded under.
    ///   - form: the concepts of the form that a response answers.
    ///   - receivedAt: when it came: the time of last resort.
    /// - Throws: ``WarehouseError`` with code `too-many-facts` or `too-many-concepts`.
    public init(_ resource: Resource, form: SurveyConcepts?, receivedAt: Date) throws(WarehouseError) {
        self.resource = StorableText.resource(resource)
        self.form = form
        facts = FactMapping.facts(of: self.resource, survey: form, receivedAt: receivedAt)
        try Self.check([self])
    }

    /// Rows that loading it writes: two of each fact, which has the modifier of its time beside it, the visit and the two
    /// of its number; one of a participant or a consent.
    public var rowCount: Int { facts.map { $0.facts.count * 2 + 3 } ?? 1 }

    /// Concepts that it uses and that no published form has.
    var concepts: [ConceptUse] { facts?.concepts ?? [] }

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
