import FHIR
import Foundation

/// The kinds of Observations that were met together, in one message or request, of which one each was looked into. Pure.
public struct ObservationKinds<Learned: Sendable>: Sendable {
    /// So many kinds are remembered; of others each is looked into.
    private let most = 64
    /// Those that are met often come to stand first.
    private var kinds: [ObservationKind<Learned>] = []

    /// Knows none yet.
    public init() {}

    /// The kind of an Observation, and the values in which it differs; nil where it has to be looked into.
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

    /// Learns of an Observation as ``ObservationKind/init(_:_:_:)`` does.
    public mutating func learn(_ resource: Resource, _ record: NewRecord, _ learned: () -> Learned?) {
        guard kinds.count < most, let kind = ObservationKind(resource, record, learned) else { return }
        kinds.append(kind)
    }
}
