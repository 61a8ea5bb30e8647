import FHIR
import Foundation

/// The template of an Observation. Other Observations of the template differ from it only in ``ObservationValues``, and
/// are recorded like it without being validated again.
///
/// A template is valid for Observations with the same time of receipt and the same study.
public struct ObservationKind<Learned: Sendable>: Sendable {
    private let shape: ObservationShape
    private let search: SearchPattern
    /// The participant whose Observations they are.
    public let subject: String?
    /// The caller's data for Observations of the template.
    public let learned: Learned

    /// Creates the template of a validated Observation.
    ///
    /// - Parameters:
    ///   - record: its record, of the content as received.
    ///   - learned: returns the caller's data; called only where a template is possible. nil where each Observation
    ///     must be validated by itself.
    /// - Returns: nil where each Observation must be validated by itself.
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

    /// Returns the values of an Observation of this template; nil for any other JSON
    /// (``ObservationShape/values(in:)``).
    public func values(in content: Data) -> ObservationValues? { shape.values(in: content) }

    /// Returns the JSON of another Observation; nil where it is written differently
    /// (``ObservationShape/content(with:)``).
    public func content(with values: ObservationValues) -> Data? { shape.content(with: values) }

    /// Returns the record of another Observation; nil where it must be validated by itself.
    ///
    /// - Parameter content: its JSON.
    public func record(_ values: ObservationValues, content: Data) -> NewRecord? {
        NewRecord(values, subject: subject, content: content, pattern: search)
    }
}
