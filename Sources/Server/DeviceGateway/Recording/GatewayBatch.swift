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
