import FHIR
import Foundation

/// The templates of the Observations in one message or request. Pure.
public struct ObservationKinds<Learned: Sendable>: Sendable {
    /// Maximum number of templates. Observations without a template are validated by themselves.
    private let most = 64
    /// Frequent templates move to the front.
    private var kinds: [ObservationKind<Learned>] = []

    /// Creates an empty set of templates.
    public init() {}

    /// Returns the template of an Observation, and the values in which it differs; nil where it must be validated by
    /// itself.
    ///
    /// - Parameter content: its JSON.
    public mutating func find(
        _ resource: Resource, _ content: Data
    ) -> (values: ObservationValues, kind: ObservationKind<Learned>)? {
        guard resource.resourceType == Observation.resourceType else { return nil }
        for place in kinds.indices {
            guard let values = kinds[place].values(in: content) else { continue }
            defer { if place > 0 { kinds.swapAt(place, place - 1) } }
            return (values, kinds[place])
        }
        return nil
    }

    /// Adds the template of an Observation, if it has one (``ObservationKind/init(_:_:_:)``).
    public mutating func learn(_ resource: Resource, _ record: NewRecord, _ learned: () -> Learned?) {
        guard kinds.count < most, let kind = ObservationKind(resource, record, learned) else { return }
        kinds.append(kind)
    }
}
