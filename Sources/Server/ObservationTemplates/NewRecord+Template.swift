import FHIRSearch
import Foundation
import RecordStorage

extension NewRecord {
    /// Creates a record from an Observation that matches a template, without reading its JSON. It has no security
    /// labels.
    ///
    /// - Parameters:
    ///   - subject: the Patient's id that the resource names as its one owner.
    ///   - template: the template's search entries.
    ///   - values: the values of its identifiers, in their order.
    ///   - quantity: the number of its value as written; nil where it has none.
    ///   - milliseconds: the time of the event, in milliseconds since 1970; the upper bound is excluded.
    /// - Returns: nil where it does not match the template; its JSON must be read then.
    package convenience init?(
        id: String, subject: String?, content: Data, template: TemplateSearchEntries, identifiers values: [String],
        quantity: String?, milliseconds: Range<Int64>
    ) {
        guard let entries = template.entries(identifiers: values, quantity: quantity) else { return nil }
        self.init(
            type: template.type, id: id, subject: subject, content: content, entries: entries,
            time: SearchPeriod(low: milliseconds.lowerBound, high: milliseconds.upperBound))
    }

    /// Creates a record from the values in which the Observation differs from its template.
    package convenience init?(
        _ values: ObservationValues, subject: String?, content: Data, template: TemplateSearchEntries
    ) {
        guard let period = values.searchPeriod else { return nil }
        self.init(
            id: values.id, subject: subject, content: content, template: template, identifiers: values.identifiers,
            quantity: values.number?.text, milliseconds: period.low..<period.high)
    }
}
