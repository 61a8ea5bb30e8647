import Core
import FHIR
import Foundation
import Records

/// The readings that are to be one Observation, those that are there and those that came.
struct ObservationBucket: Sendable {
    var id: String
    /// What the id is made of (``MeasurementGroup/identifier``).
    let identifier: String
    let participant: String
    /// The id of the Device that the last reading is of.
    var device: String
    let template: FHIRTemplate
    var new: [GatewayMeasurements.Numbered] = []
    /// What is known of it.
    var known = GatewayMeasurements.Group()
    /// The stored Observation's present content; nil where there is none, or it was deleted.
    var present: Data?

    /// The Observation with readings that came.
    struct Made: Sendable {
        /// The readings that are to be noted.
        let noted: [GatewayMeasurements.Numbered]
        /// How many the Observation has.
        let count: Int
        /// What is to be written; nil where the stored one says the same.
        var record: NewRecord?
        /// What the house made of it beforehand.
        var prepared: (any Sendable)?
    }

    /// Makes the Observation of what is there and of what came.
    ///
    /// - Parameters:
    ///   - admission: sees that it may be stored.
    ///   - patterns: what was learned of others.
    /// - Throws: a `CodedError` where it may not be.
    func made(
        with new: [GatewayMeasurements.Numbered], _ admission: any WriteAdmission,
        _ patterns: inout ObservationPatterns
    ) throws -> Made {
        let (noted, sorted) = readings(with: new)
        guard let group = MeasurementGroup(template, sorted) else { return Made(noted: [], count: 0) }
        if present == nil, let (prepared, record) = patterns.made(group, of: self) {
            return Made(noted: noted, count: sorted.count, record: record, prepared: prepared)
        }
        // 2. The resource: the same readings are the same resource, whenever and in whatever parts they came.
        var resource = try group.observation(id: id, patient: participant, device: device)
        if let present {
            guard present != resource.json.data() else {
                return Made(noted: noted, count: sorted.count)
            }
            resource = try group.observation(id: id, patient: participant, device: device, status: .amended)
            guard present != resource.json.data() else {
                return Made(noted: noted, count: sorted.count)
            }
        }
        let admitted = try admission.admit(resource, id: id)
        let record = NewRecord(admitted.resource, id: id, content: admitted.resource.json.data())
        if present == nil { patterns.learn(group, of: self, resource, admitted, record, admission) }
        return Made(noted: noted, count: sorted.count, record: record, prepared: admitted.prepared)
    }

    /// The readings that are noted, and all in the order of their times: of two of one time that of the later event counts.
    private func readings(
        with new: [GatewayMeasurements.Numbered]
    ) -> (noted: [GatewayMeasurements.Numbered], sorted: [Measurement]) {
        if known.measurements.isEmpty, new.count == 1 { return (new, new.map(\.measurement)) }
        var readings: [MeasurementTime: GatewayMeasurements.Numbered] = [:]
        for reading in known.measurements { readings[reading.measurement.occurrence] = reading }
        var noted: [MeasurementTime: GatewayMeasurements.Numbered] = [:]
        for reading in new {
            let time = reading.measurement.occurrence
            if let present = readings[time], present.event > reading.event { continue }
            readings[time] = reading
            noted[time] = reading
        }
        return (
            Array(noted.values), readings.values.map(\.measurement).sorted { $0.occurrence < $1.occurrence }
        )
    }

    /// When it may be written again, in milliseconds since 1970: one of many readings is not written for each that comes, but
    /// the later the more there are of them for each that is new.
    var due: Int64 {
        guard template.period != .single, known.edition > 0 else { return 0 }
        return known.written + min(Self.longestWait, known.count * Self.waitForEach / Int64(max(1, new.count)))
    }

    /// Milliseconds.
    private static let longestWait: Int64 = 60_000
    private static let waitForEach: Int64 = 50
}
