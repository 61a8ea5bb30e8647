import FHIR
import Foundation
import RecordStorage

/// The templates of the Observations in one message or request. Pure.
package struct ObservationTemplates<CallerData: Sendable>: Sendable {
    /// Maximum number of templates. Observations without a template are validated by themselves.
    private let maximumCount = 64
    /// Frequent templates move to the front.
    private var templates: [ObservationTemplate<CallerData>] = []

    /// Creates an empty set of templates.
    package init() {}

    /// Returns the template of an Observation, and the values in which it differs; nil where it must be validated by
    /// itself.
    ///
    /// - Parameter content: its JSON.
    package mutating func find(
        _ resource: Resource, _ content: Data
    ) -> (values: ObservationValues, template: ObservationTemplate<CallerData>)? {
        guard resource.resourceType == Observation.resourceType else { return nil }
        for index in templates.indices {
            guard let values = templates[index].values(in: content) else { continue }
            defer { if index > 0 { templates.swapAt(index, index - 1) } }
            return (values, templates[index])
        }
        return nil
    }

    /// Adds the template of an Observation, if it has one (``ObservationTemplate/init(_:record:callerData:)``).
    package mutating func add(_ resource: Resource, record: NewRecord, callerData: () -> CallerData?) {
        guard templates.count < maximumCount,
            let template = ObservationTemplate(resource, record: record, callerData: callerData)
        else { return }
        templates.append(template)
    }
}
