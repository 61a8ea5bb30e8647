import Foundation
import Records

/// What one transaction writes of an Observation. It is a class, as thousands of them are gone through several times in the
/// transaction, for which all others wait.
final class ObservationWork: Sendable {
    let bucket: ObservationBucket
    let made: ObservationBucket.Made

    init(_ bucket: ObservationBucket, _ made: ObservationBucket.Made) {
        self.bucket = bucket
        self.made = made
    }
}

/// Events that are worked on together, and what one transaction writes of them.
struct GatewayBatch: Sendable {
    let hub: String
    let readings: [EventReading]
    let works: [ObservationWork]
    let owners: [String: DeviceRegistration.Owner]
    let writing: any WriteAdmission
    let at: Date
    let submissionID: String
    /// The last event that it was made of, whatever became of it.
    let last: GatewayEvents.Place
    /// The Observations that it is about.
    let observations: Set<String>
    /// Events before its last one that were left for later.
    let left: [GatewayEvents.Stored]
}

extension GatewayBatch {
    /// Behind what the next batch begins: also behind the rows that those have which were left, as that brings them itself.
    var end: GatewayEvents.Place {
        var end = last
        if let left = left.last, (end.due, end.number) < (0, left.number) { (end.due, end.number) = (0, left.number) }
        return end
    }
}

extension GatewayEvents.Due? {
    /// The events, behind those that a batch leaves for later: what was left comes before what is behind it, however much comes.
    /// When these are written, the batch is, and what it left has rows of its own.
    func preceded(by batch: GatewayBatch?) -> Self {
        guard let batch, !batch.left.isEmpty else { return self }
        let left = batch.left.map { GatewayEvents.Stored(number: $0.number, body: $0.body) }
        guard let due = self, due.hub == batch.hub else {
            return GatewayEvents.Due(hub: batch.hub, events: left, last: batch.end)
        }
        return GatewayEvents.Due(hub: due.hub, events: left + due.events, last: due.last)
    }
}
