import Foundation
import Records

/// Events that are worked on together, and what one transaction writes of them.
struct GatewayBatch: Sendable {
    let hub: String
    let readings: [EventReading]
    let made: [(bucket: ObservationBucket, made: ObservationBucket.Made)]
    let owners: [String: DeviceRegistration.Owner]
    let writing: any WriteAdmission
    let at: Date
    let submissionID: String
    /// The last event that it was made of, whatever became of it.
    let last: GatewayEvents.Place
    /// The Observations that it is about.
    let observations: Set<String>
    /// Whether events before its last one were left for later.
    let hasLeft: Bool
}
