import FHIR
import Foundation

/// What the Observations of a kind have in common, learned of one of them: they differ in ``ObservationValues`` alone, and are
/// recorded as it was without being looked into.
///
/// It holds for what shares its time of receipt and its study.
public struct ObservationKind<Learned: Sendable>: Sendable {
    private let shape: ObservationShape
    private let search: SearchPattern
    /// The participant whose they are.
    public let subject: String?
    /// What the caller knows of them.
    public let learned: Learned

    /// Learns of an Observation that was looked into.
    ///
    /// - Parameters:
    ///   - record: the record that was made of it as it came.
    ///   - learned: asked where there is something to learn; nil where others have to be looked into.
    /// - Returns: nil where others have to be looked into.
    public init?(_ resource: Resource, _ record: NewRecord, _ learned: () -> Learned?) {
        guard record.original == nil, let search = SearchPattern(of: record),
            let shape = ObservationShape(of: record.content, resource),
            let values = shape.values(in: record.content), values.id == record.id, search.fits(record, values),
            let learned = learned()
        else { return nil }
        self.shape = shape
        self.search = search
        subject = record.subject
        self.learned = learned
    }

    /// The values of an Observation of this kind; nil for any other JSON (``ObservationShape/values(in:)``).
    public func values(in content: Data) -> ObservationValues? { shape.values(in: content) }

    /// The JSON of another one; nil where it is written otherwise (``ObservationShape/content(with:)``).
    public func content(with values: ObservationValues) -> Data? { shape.content(with: values) }

    /// The record of another one; nil where it has to be looked into.
    ///
    /// - Parameter content: its JSON.
    public func record(_ values: ObservationValues, content: Data) -> NewRecord? {
        NewRecord(values, subject: subject, content: content, pattern: search)
    }
}
