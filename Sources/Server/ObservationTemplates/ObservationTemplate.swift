import FHIR
import Foundation
import RecordStorage

/// The template of an Observation. Other Observations of the template differ from it only in ``ObservationValues``, and
/// are recorded like it without being validated again.
///
/// A template is valid for Observations with the same time of receipt and the same study.
package struct ObservationTemplate<CallerData: Sendable>: Sendable {
    private let bytes: TemplateBytes
    private let search: TemplateSearchEntries
    /// The participant whose Observations they are.
    package let subject: String?
    /// The caller's data for Observations of the template.
    package let callerData: CallerData

    /// Creates the template of a validated Observation.
    ///
    /// - Parameters:
    ///   - record: its record, of the content as received.
    ///   - callerData: returns the caller's data; called only where a template is possible. nil where each Observation
    ///     must be validated by itself.
    /// - Returns: nil where each Observation must be validated by itself.
    package init?(_ resource: Resource, record: NewRecord, callerData: () -> CallerData?) {
        guard record.original == nil, let search = TemplateSearchEntries(of: record),
            let bytes = TemplateBytes(of: record.content, resource),
            let values = bytes.values(in: record.content), values.id == record.id, search.fits(record, values),
            let callerData = callerData()
        else { return nil }
        self.bytes = bytes
        self.search = search
        subject = record.subject
        self.callerData = callerData
    }

    /// Returns the values of an Observation of this template; nil for any other JSON
    /// (``TemplateBytes/values(in:)``).
    package func values(in content: Data) -> ObservationValues? { bytes.values(in: content) }

    /// Returns the JSON of another Observation; nil where it is written differently
    /// (``TemplateBytes/content(with:)``).
    package func content(with values: ObservationValues) -> Data? { bytes.content(with: values) }

    /// Returns the record of another Observation; nil where it must be validated by itself.
    ///
    /// - Parameter content: its JSON.
    package func record(_ values: ObservationValues, content: Data) -> NewRecord? {
        NewRecord(values, subject: subject, content: content, template: search)
    }
}
