import FHIR
import Foundation

/// The kinds of Observations that were met together, of which one each was looked into: those that differ from it in
/// ``ObservationValues`` alone are recorded as it was. Pure.
///
/// It holds for what comes in one message or request, whose time and study all of them share.
public struct ObservationKinds<Learned: Sendable>: Sendable {
    /// What the Observations of a kind have in common.
    public struct Kind: Sendable {
        let shape: ObservationShape
        let search: SearchPattern
        /// The participant whose they are.
        public let subject: String?
        /// What the caller knows of them.
        public let learned: Learned

        /// The record of another one; nil where it has to be looked into.
        ///
        /// - Parameter content: its JSON.
        public func record(_ values: ObservationValues, content: Data) -> NewRecord? {
            NewRecord(values, subject: subject, content: content, pattern: search)
        }
    }

    /// So many kinds are remembered; of others each is looked into.
    private let most = 64
    /// Those that are met often come to stand first.
    private var kinds: [Kind] = []

    /// Knows none yet.
    public init() {}

    /// The kind of an Observation, and the values in which it differs; nil where it has to be looked into.
    ///
    /// - Parameter content: its JSON.
    public mutating func find(_ resource: Resource, _ content: Data) -> (values: ObservationValues, kind: Kind)? {
        guard resource.resourceType == Observation.resourceType else { return nil }
        for place in kinds.indices {
            guard let values = kinds[place].shape.values(in: content) else { continue }
            defer { if place > 0 { kinds.swapAt(place, place - 1) } }
            return (values, kinds[place])
        }
        return nil
    }

    /// Learns of an Observation that was looked into.
    ///
    /// - Parameters:
    ///   - record: the record that was made of it as it came.
    ///   - learned: asked where there is something to learn; nil where others have to be looked into.
    public mutating func learn(_ resource: Resource, _ record: NewRecord, _ learned: () -> Learned?) {
        guard kinds.count < most, record.original == nil, let search = SearchPattern(of: record),
            let shape = ObservationShape(of: record.content, resource),
            let values = shape.values(in: record.content), values.id == record.id, search.fits(record, values),
            let learned = learned()
        else { return }
        kinds.append(Kind(shape: shape, search: search, subject: record.subject, learned: learned))
    }
}
