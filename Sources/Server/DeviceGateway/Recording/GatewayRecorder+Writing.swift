import Core
import FHIR
import Foundation
import Records
import Storage
import Trust

extension GatewayRecorder {
    /// Writes a batch, where everything stands as it stood when it was made.
    ///
    /// - Throws: ``Outdated`` where it does not.
    func write(_ batch: GatewayBatch, in transaction: any SQLTransaction) throws {
        let events = GatewayEvents(transaction: transaction)
        let measurements = GatewayMeasurements(transaction: transaction)
        // 1. Everything stands as it stood.
        guard try events.arePending(batch.readings.map(\.event.number)) else { throw Outdated() }
        for (device, owner) in batch.owners {
            guard try DeviceRegistration.owner(of: device, in: transaction) == owner else { throw Outdated() }
        }
        let known = try measurements.groups(batch.made.map(\.bucket.id))
        guard batch.made.allSatisfy({ known[$0.bucket.id]?.edition ?? 0 == $0.bucket.known.edition }) else {
            throw Outdated()
        }
        // 2. Each participant's by their consent.
        var settlements = Dictionary(uniqueKeysWithValues: batch.readings.map { ($0.event.number, $0.settlement) })
        func note(_ settlement: EventSettlement, of readings: [GatewayMeasurements.Numbered]) {
            for reading in readings {
                settlements[reading.event] = (settlements[reading.event] ?? .recorded).orMore(settlement)
            }
        }
        var (measured, observed) = (0, 0)
        var notes: [GatewayMeasurements.Note] = []
        let participants = Dictionary(grouping: batch.made, by: \.bucket.participant)
        for (place, (participant, made)) in participants.sorted(by: { $0.key < $1.key }).enumerated() {
            let new = made.flatMap(\.bucket.new)
            switch try batch.writing.standing(of: participant, in: transaction) {
            case .admitted: break
            case .held(let code, let sentence):
                for reading in new {
                    note(.waiting(device: reading.measurement.deviceID, GatewayReason(code, sentence)), of: [reading])
                }
                continue
            case .refused:
                note(.refused, of: new)
                continue
            }
            let submissionID = place == 0 ? batch.submissionID : "\(batch.submissionID)-\(place + 1)"
            for (bucket, made, number) in try write(made, of: participant, batch, submissionID, in: transaction) {
                guard let made else {
                    for reading in bucket.new {
                        note(.quarantined(device: reading.measurement.deviceID, Self.foreign), of: [reading])
                    }
                    continue
                }
                guard let number = bucket.known.number ?? number else { throw Outdated() }
                notes.append(
                    .init(
                        number: number, participant: participant, known: bucket.known, new: made.noted,
                        count: made.count))
                measured += made.noted.count
                if bucket.known.edition == 0 { observed += 1 }
            }
        }
        try measurements.note(notes, at: Self.milliseconds(batch.at))
        // 3. The events.
        try events.settle(
            batch.readings.map { ($0.event, settlements[$0.event.number] ?? $0.settlement) }, of: batch.hub)
        try measurements.count(
            measurements: measured, observations: observed,
            refused: settlements.values.count { $0 == .refused })
    }

    /// Writes a participant's Observations with their facts and rows of the audit.
    ///
    /// - Returns: each bucket, with nil where its id is another participant's, and the number of the record that was written.
    private func write(
        _ made: [(bucket: ObservationBucket, made: ObservationBucket.Made)], of participant: String,
        _ batch: GatewayBatch,
        _ submissionID: String, in transaction: any SQLTransaction
    ) throws -> [(ObservationBucket, ObservationBucket.Made?, number: Int64?)] {
        let type = Observation.resourceType
        let store = RecordStore()
        func isFree(_ buckets: [ObservationBucket]) throws -> Bool {
            try store.areFree(buckets.map { (type: type, id: $0.id) }, for: participant, in: transaction)
        }
        let areFree = try isFree(made.map(\.bucket))
        let results = try made.map { bucket, made in (bucket, try areFree || isFree([bucket]) ? made : nil) }
        let records = results.compactMap { $0.1?.written }
        guard !records.isEmpty else { return results.map { ($0.0, $0.1, nil) } }
        // Nobody signed it: that is what a provenance without a signer says.
        let provenance = RecordProvenance(
            submissionID: submissionID, clientID: "device-hub:" + batch.hub, keyID: nil, receivedAt: batch.at)
        let changes = try store.write(provenance, at: batch.at, in: transaction) { writer in
            try writer.expect(records.lazy.map(\.record))
            return try records.map { prepared, record in
                RecordChange(record, try writer.put(record), prepared: prepared)
            }
        }
        try batch.writing.follow(changes, submissionID: submissionID, in: transaction)
        let actor = Actor(id: "device-hub:" + batch.hub, role: .service)
        try access.record(
            Decision(allowed: true, reason: "permitted"), actor, .writeRecord,
            changes.map { Target(resourceType: type, resourceID: $0.id, subject: participant) }, in: transaction)
        let numbers = Dictionary(changes.map { ($0.id, $0.number) }, uniquingKeysWith: { first, _ in first })
        return results.map { ($0.0, $0.1, numbers[$0.0.id]) }
    }
}
