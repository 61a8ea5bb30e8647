import FHIRSearch
import Foundation
import RecordStorage

/// The changes of one Observation in a transaction. A class, because thousands are iterated several times in the
/// transaction, which blocks all other writers.
final class ObservationWork: Sendable {
    let bucket: ObservationBucket
    let made: ObservationBucket.Made

    init(_ bucket: ObservationBucket, _ made: ObservationBucket.Made) {
        self.bucket = bucket
        self.made = made
    }
}

/// Events that are processed together, and the changes that one transaction writes for them.
struct GatewayBatch: Sendable {
    let hub: String
    let readings: [EventReading]
    let works: [ObservationWork]
    let owners: [String: DeviceRegistration.Owner]
    let writing: any WriteAdmission
    let at: Date
    let submissionID: String
    /// The position of the last event of the batch, whatever its outcome.
    let last: GatewayEvents.Cursor
    /// The ids of the Observations that the batch changes.
    let observations: Set<String>
    /// Events before the last one that were left for the next batch.
    let left: [GatewayEvents.Stored]
}

extension GatewayBatch {
    /// The position after which the next batch begins. It is also after the rows that the left events get, because the
    /// next batch brings these events itself.
    var end: GatewayEvents.Cursor {
        var end = last
        if let left = left.last, (end.due, end.number) < (0, left.number) { (end.due, end.number) = (0, left.number) }
        return end
    }
}

extension GatewayEvents.Due? {
    /// Returns the events after those that a batch leaves for later, so that left events are processed before later
    /// ones, however many arrive. When these are written, the batch is written too, and the left events have rows of
    /// their own.
    func preceded(by batch: GatewayBatch?) -> Self {
        guard let batch, !batch.left.isEmpty else { return self }
        let left = batch.left.map { GatewayEvents.Stored(number: $0.number, body: $0.body) }
        guard let due = self, due.hub == batch.hub else {
            return GatewayEvents.Due(hub: batch.hub, events: left, last: batch.end)
        }
        return GatewayEvents.Due(hub: due.hub, events: left + due.events, last: due.last)
    }
}
