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

extension GatewayEvents.Due? {
    /// The events, behind those that a batch leaves for later: what was left comes before what is behind it, however much comes.
    /// When these are written, the batch is, and what it left has rows of its own.
    func preceded(by batch: GatewayBatch?) -> Self {
        guard let batch, let lastLeft = batch.left.last else { return self }
        let left = batch.left.map { GatewayEvents.Stored(number: $0.number, body: $0.body) }
        let isOfHub = self?.hub == batch.hub
        // Their rows are not found once more behind this place, while these are being written.
        var last = (isOfHub ? self?.last : nil) ?? batch.last
        if (last.due, last.number) < (0, lastLeft.number) { (last.due, last.number) = (0, lastLeft.number) }
        // They are found by themselves where the batch is written already.
        let numbers = Set(left.map(\.number))
        let behind = isOfHub ? self?.events.filter { !numbers.contains($0.number) } : nil
        return GatewayEvents.Due(hub: batch.hub, events: left + (behind ?? []), last: last)
    }
}
