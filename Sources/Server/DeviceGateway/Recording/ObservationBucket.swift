import Core
import FHIR
import Foundation
import RecordStorage

/// The stored and the new readings of one Observation.
struct ObservationBucket: Sendable {
    var id: String
    /// The identifier from which the id is made (``MeasurementGroup/identifier``).
    let identifier: String
    let participant: String
    /// The id of the Device of the last reading.
    var device: String
    let template: FHIRTemplate
    var new: [GatewayMeasurements.Numbered] = []
    /// The stored state of the Observation.
    var known = GatewayMeasurements.Group()
    /// The stored Observation's present content; nil if there is none, or it was deleted.
    var present: Data?

    /// The Observation made with new readings.
    struct Made: Sendable {
        /// The readings to be inserted.
        let inserted: [GatewayMeasurements.Numbered]
        /// The number of readings of the Observation.
        let count: Int
        /// The record to be written; nil if the stored one has the same content.
        var record: NewRecord?
        /// The result of the admission's preparation.
        var prepared: (any Sendable)?
    }

    /// Makes the Observation of the stored readings and of new ones.
    ///
    /// - Parameters:
    ///   - admission: checks that the Observation may be stored.
    ///   - readingTemplates: the templates of earlier Observations.
    /// - Throws: a `CodedError` if the Observation may not be stored.
    func made(
        with new: [GatewayMeasurements.Numbered], _ admission: any WriteAdmission,
        _ readingTemplates: inout ReadingTemplates
    ) throws -> Made {
        let (inserted, sorted) = readings(with: new)
        guard let group = MeasurementGroup(template, sorted) else { return Made(inserted: [], count: 0) }
        if present == nil, let (prepared, record) = readingTemplates.made(group, of: self) {
            return Made(inserted: inserted, count: sorted.count, record: record, prepared: prepared)
        }
        // 2. The resource: the same readings give the same resource, whenever and in whatever batches they arrive.
        var resource = try group.observation(id: id, patient: participant, device: device)
        if let present {
            guard present != resource.json.data() else {
                return Made(inserted: inserted, count: sorted.count)
            }
            resource = try group.observation(id: id, patient: participant, device: device, status: .amended)
            guard present != resource.json.data() else {
                return Made(inserted: inserted, count: sorted.count)
            }
        }
        let admitted = try admission.admit(resource, id: id)
        let record = NewRecord(admitted.resource, id: id, content: admitted.resource.json.data())
        if present == nil {
            readingTemplates.add(
                group, of: self, resource: resource, admitted: admitted, record: record, admission: admission)
        }
        return Made(inserted: inserted, count: sorted.count, record: record, prepared: admitted.prepared)
    }

    /// Returns the readings to insert, and all readings in the order of time. Of two with one time, that of the later
    /// event is used.
    private func readings(
        with new: [GatewayMeasurements.Numbered]
    ) -> (inserted: [GatewayMeasurements.Numbered], sorted: [Measurement]) {
        if known.measurements.isEmpty, new.count == 1 { return (new, new.map(\.measurement)) }
        var readings: [MeasurementTime: GatewayMeasurements.Numbered] = [:]
        for reading in known.measurements { readings[reading.measurement.occurrence] = reading }
        var inserted: [MeasurementTime: GatewayMeasurements.Numbered] = [:]
        for reading in new {
            let time = reading.measurement.occurrence
            if let present = readings[time], present.event > reading.event { continue }
            readings[time] = reading
            inserted[time] = reading
        }
        return (
            Array(inserted.values), readings.values.map(\.measurement).sorted { $0.occurrence < $1.occurrence }
        )
    }

    /// The time at which the Observation may be written again, in milliseconds since 1970. An Observation of many
    /// readings is not written for each new one: the more readings it has for each new one, the longer it waits.
    var due: Int64 {
        guard template.period != .single, known.edition > 0 else { return 0 }
        return known.written + min(Self.longestWait, known.count * Self.waitForEach / Int64(max(1, new.count)))
    }

    /// In milliseconds.
    private static let longestWait: Int64 = 60_000
    private static let waitForEach: Int64 = 50
}
