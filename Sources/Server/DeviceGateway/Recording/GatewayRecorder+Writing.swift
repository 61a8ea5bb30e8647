import AccessPolicy
import Core
import FHIR
import Foundation
import RecordStorage
import Storage

extension GatewayRecorder {
    /// Writes a batch, if the state that it was made from is unchanged.
    ///
    /// - Throws: ``Outdated`` if the state has changed.
    func write(_ batch: GatewayBatch, in transaction: any SQLTransaction) throws {
        let events = GatewayEvents(transaction: transaction)
        let measurements = GatewayMeasurements(transaction: transaction)
        // 1. The state is unchanged.
        guard try events.arePending(batch.readings.map(\.event)) else { throw Outdated() }
        for (device, owner) in batch.owners {
            guard try DeviceRegistration.owner(of: device, in: transaction) == owner else { throw Outdated() }
        }
        let there = batch.works.filter { $0.bucket.known.isThere }
        let editions = try measurements.groups(there.map { $0.bucket.id }).mapValues { $0.edition }
        guard there.allSatisfy({ editions[$0.bucket.id] ?? 0 == $0.bucket.known.edition }) else { throw Outdated() }
        // 2. Each participant's Observations, subject to their consent.
        // The outcomes of the few events that are not recorded in full.
        var settlements: [Int64: EventSettlement] = [:]
        func settle(_ settlement: EventSettlement, of readings: [GatewayMeasurements.Numbered]) {
            for reading in readings {
                settlements[reading.event] = (settlements[reading.event] ?? .recorded).orMore(settlement)
            }
        }
        var (measured, observed) = (0, 0)
        var changes: [GatewayMeasurements.Change] = []
        let participants = Dictionary(grouping: batch.works) { $0.bucket.participant }
        for (index, (participant, works)) in participants.sorted(by: { $0.key < $1.key }).enumerated() {
            switch try batch.writing.dataAdmission(of: participant, in: transaction) {
            case .admitted: break
            case .held(let code, let sentence):
                for reading in works.flatMap({ $0.bucket.new }) {
                    settle(.waiting(device: reading.measurement.deviceID, GatewayReason(code, sentence)), of: [reading])
                }
                continue
            case .refused:
                settle(.refused, of: works.flatMap { $0.bucket.new })
                continue
            }
            let submissionID = index == 0 ? batch.submissionID : "\(batch.submissionID)-\(index + 1)"
            let written = try write(works, of: participant, batch: batch, submissionID: submissionID, in: transaction)
            for (work, recorded) in zip(works, written.numbers) {
                guard !written.foreign.contains(work.bucket.id) else {
                    for reading in work.bucket.new {
                        settle(.quarantined(device: reading.measurement.deviceID, Self.foreign), of: [reading])
                    }
                    continue
                }
                guard let number = work.bucket.known.number ?? recorded else { throw Outdated() }
                changes.append(GatewayMeasurements.Change(number: number, work: work))
                measured += work.made.inserted.count
                if work.bucket.known.edition == 0 { observed += 1 }
            }
        }
        try measurements.record(changes, at: Self.milliseconds(batch.at))
        // 3. The events.
        // The left events of an arrival are processed next.
        let left = batch.left.filter { $0.arrival != nil }
        let settled = batch.readings.map { reading in
            let settlement = reading.settlement
            return (reading.event, settlements[reading.event.number].map { settlement.orMore($0) } ?? settlement)
        }
        try events.settle(settled + left.map { ($0, .deferred(until: 0)) }, of: batch.hub)
        try measurements.count(
            measurements: measured, observations: observed,
            refused: settled.count { $0.1 == .refused })
    }

    /// Writes a participant's Observations with their facts and an audit row.
    ///
    /// - Returns: the ids that belong to another participant, and for each Observation the number of its record if it
    ///   was written.
    private func write(
        _ works: [ObservationWork], of participant: String, batch: GatewayBatch, submissionID: String,
        in transaction: any SQLTransaction
    ) throws -> (foreign: Set<String>, numbers: [Int64?]) {
        let type = Observation.resourceType
        let store = RecordStore()
        func isFree(_ ids: [String]) throws -> Bool {
            try store.areFree(ids.map { (type: type, id: $0) }, for: participant, in: transaction)
        }
        // An id without a record is checked by writing it.
        let ids = works.compactMap { $0.bucket.known.isThere ? $0.bucket.id : nil }
        let foreign = try isFree(ids) ? [] : Set(ids.filter { try !isFree([$0]) })
        func isWritten(_ work: ObservationWork) -> Bool {
            work.made.record != nil && !foreign.contains(work.bucket.id)
        }
        let own = works.filter(isWritten)
        guard !own.isEmpty else { return (foreign, works.map { _ in nil }) }
        // The events are not signed, so the provenance has no signer.
        let provenance = RecordProvenance(
            submissionID: submissionID, clientID: "device-hub:" + batch.hub, keyID: nil, receivedAt: batch.at)
        let changes = try store.write(provenance, at: batch.at, in: transaction) { writer in
            let writable = own.compactMap { work in work.made.record.map { (work: work, record: $0) } }
            let results = try writer.put(contentsOf: writable.map(\.record))
            return try zip(writable, results).map { writable, put -> RecordChange in
                let (work, record) = writable
                guard work.bucket.known.isThere || put.outcome == .created else { throw Outdated() }
                return RecordChange(record, put, prepared: work.made.prepared)
            }
        }
        try batch.writing.follow(changes, submissionID: submissionID, in: transaction)
        let actor = Actor(id: "device-hub:" + batch.hub, role: .service)
        // As for a submission: one row, which names the first resource. The provenance of each version identifies the
        // batch.
        try audit.record(
            Decision(allowed: true, reason: "permitted"), by: actor, action: .writeRecord,
            target: Target(resourceType: type, resourceID: changes.first?.id, subject: participant),
            amount: changes.count > 1 ? changes.count : nil, in: transaction)
        var numbers = changes.lazy.map(\.number).makeIterator()
        return (foreign, works.map { isWritten($0) ? numbers.next() : nil })
    }
}
