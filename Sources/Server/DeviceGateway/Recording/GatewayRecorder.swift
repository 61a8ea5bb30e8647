import Core
import FHIR
import Foundation
import Records
import Storage
import Trust

/// Makes Observations of the events that hubs took, and writes them through the house's gate, with their facts and rows of the
/// audit, in the transaction that settles the events.
///
/// What an Observation is made of is read before the transaction and made outside of it; where something changed meanwhile it is
/// made anew.
public struct GatewayRecorder: Sendable {
    let database: any SQLDatabase
    let access: AccessControl
    let admission: any RecordAdmission
    let templates: @Sendable () async -> GatewayTemplates?
    let clock: @Sendable () -> Date
    let newID: @Sendable () -> UUID

    /// - Parameters:
    ///   - admission: the house: validation, what identifies, consent, facts.
    ///   - templates: those of the study; nil where it has none that can be read: then events wait.
    public init(
        database: any SQLDatabase, access: AccessControl, admission: any RecordAdmission,
        templates: @escaping @Sendable () async -> GatewayTemplates?, clock: @escaping @Sendable () -> Date,
        newID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.database = database
        self.access = access
        self.admission = admission
        self.templates = templates
        self.clock = clock
        self.newID = newID
    }

    /// So many events are worked on in one transaction, and so many bytes of them.
    static let batch = (events: 500, bytes: 4 << 20)

    /// Something that a batch was made of has changed: it is made anew.
    private struct Outdated: Error {}

    /// Works on the events whose time has come, a batch of them.
    ///
    /// - Returns: whether there was one.
    public func step() async throws -> Bool {
        guard let batch = try await prepare(behind: nil) else { return false }
        try await record(batch)
        return true
    }

    /// Works on the events whose time has come until there are none: the next batch is made while one is written.
    func work() async throws {
        while var batch = try await prepare(behind: nil) {
            while true {
                try _Concurrency.Task.checkCancellation()
                let current = batch
                async let following = prepare(behind: current)
                try await record(current)
                guard let next = try await following else { break }
                batch = next
            }
        }
    }

    /// Makes the Observations of the next events whose time has come.
    ///
    /// - Parameter current: a batch that is being written: events behind it are taken, of those alone that are of other
    ///   Observations, as what becomes of its own is not known yet.
    /// - Returns: nil where there are none.
    private func prepare(behind current: Batch?) async throws -> Batch? {
        guard let templates = await templates() else { return nil }
        let at = clock()
        let now = Self.milliseconds(at)
        let due = try await database.read { transaction in
            try GatewayEvents.due(
                behind: current?.last, limit: Self.batch.events, bytes: Self.batch.bytes, at: now, in: transaction)
        }
        guard let due, let last = due.last else { return nil }
        let writing = await admission.begin(at: at)
        // 1. What the templates find, and whose it is.
        var readings = due.events.map { EventReading($0, by: templates) }
        let devices = readings.reduce(into: Set<String>()) { $0.formUnion($1.devices) }.sorted()
        let owners = try await database.read { transaction in
            try devices.reduce(into: [String: DeviceRegistration.Owner]()) { owners, device in
                owners[device] = try DeviceRegistration.owner(of: device, in: transaction)
            }
        }
        var buckets = Self.buckets(of: &readings, owners)
        if let current { Self.leave(current.observations, &readings, &buckets) }
        guard !readings.isEmpty else { return nil }
        // 2. What stands already of each Observation; those of which much stands wait a little for more.
        let observations = Set(buckets.keys)
        try await load(&buckets)
        Self.turnAway(&readings, &buckets)
        Self.put(off: &readings, &buckets, at: now)
        try await loadReadings(&buckets)
        // 3. The Observations. One that cannot be is tried reading by reading, so that what fails fails alone.
        var made: [(bucket: ObservationBucket, made: ObservationBucket.Made)] = []
        let open = buckets.values.filter { !$0.new.isEmpty }.sorted { $0.id < $1.id }
        for (bucket, (result, failures)) in zip(open, await Self.make(open, writing)) {
            if let result { made.append((bucket, result)) }
            for (event, reason) in failures {
                for index in readings.indices where readings[index].event.number == event {
                    readings[index].note(reason, device: bucket.new.first?.measurement.deviceID)
                }
            }
        }
        return Batch(
            hub: due.hub, readings: readings, made: made, owners: owners, writing: writing, at: at,
            submissionID: "gateway:" + newID().uuidString.lowercased(), last: last, observations: observations)
    }

    /// Writes a batch, all of it in one transaction.
    private func record(_ batch: Batch) async throws {
        do {
            try await database.write { transaction in try write(batch, in: transaction) }
        } catch is Outdated {
            // Another one was faster, or a device changed hands: the next batch sees what stands then.
        }
    }

    /// Leaves events for later that are of Observations which are being written.
    private static func leave(
        _ observations: Set<String>, _ readings: inout [EventReading], _ buckets: inout [String: ObservationBucket]
    ) {
        var left: Set<Int64> = []
        for id in observations { for reading in buckets[id]?.new ?? [] { left.insert(reading.event) } }
        guard !left.isEmpty else { return }
        // One of several readings: what else it brings waits with it.
        for id in Array(buckets.keys) {
            buckets[id]?.new.removeAll { left.contains($0.event) }
            if buckets[id]?.new.isEmpty ?? false { buckets[id] = nil }
        }
        readings.removeAll { left.contains($0.event.number) }
    }

    /// The readings by the Observations that they belong to. What has no participant waits.
    private static func buckets(
        of readings: inout [EventReading], _ owners: [String: DeviceRegistration.Owner]
    ) -> [String: ObservationBucket] {
        var buckets: [String: ObservationBucket] = [:]
        for index in readings.indices {
            for (measurement, template) in readings[index].measurements {
                switch owners[measurement.deviceID] ?? .unknown {
                case .ended:
                    readings[index].settlement = readings[index].settlement.orMore(.refused)
                case .unknown:
                    let reason = GatewayReason(
                        "device-unknown", "Nobody registered the device; see `tributary devices register`.")
                    readings[index].settlement = readings[index].settlement.orMore(
                        .waiting(device: measurement.deviceID, reason))
                case .participant(let participant, let record):
                    if let said = measurement.patientID, said != participant {
                        readings[index].note(
                            GatewayReason(
                                "patient-mismatch",
                                "The event names another Patient than the one whose device it is of."),
                            device: measurement.deviceID)
                        continue
                    }
                    let own = measurement.of(participant: participant)
                    guard let identifier = MeasurementGroup(template, [own])?.identifier else { continue }
                    let id = MeasurementGroup.id(of: identifier)
                    var bucket =
                        buckets[id]
                        ?? ObservationBucket(
                            id: id, identifier: identifier, participant: participant, device: record,
                            template: template)
                    guard bucket.participant == participant else {
                        // A correlation that two participants' devices name.
                        readings[index].note(foreign, device: measurement.deviceID)
                        continue
                    }
                    bucket.new.append(.init(event: readings[index].event.number, measurement: own))
                    buckets[id] = bucket
                }
            }
        }
        return buckets
    }

    private static let foreign = GatewayReason(
        "subject-not-permitted", "The Observation that the reading belongs to is another participant's.")

    private func load(_ buckets: inout [String: ObservationBucket]) async throws {
        let ids = buckets.keys.sorted()
        let groups = try await database.read { transaction in
            try GatewayMeasurements(transaction: transaction).groups(ids)
        }
        for (id, group) in groups { buckets[id]?.known = group }
    }

    /// Sets readings aside that would become part of another participant's Observation.
    private static func turnAway(_ readings: inout [EventReading], _ buckets: inout [String: ObservationBucket]) {
        for (id, bucket) in buckets {
            guard let owner = bucket.known.participant, owner != bucket.participant else { continue }
            buckets[id] = nil
            for reading in bucket.new {
                for index in readings.indices where readings[index].event.number == reading.event {
                    readings[index].note(foreign, device: reading.measurement.deviceID)
                }
            }
        }
    }

    /// Puts events off whose Observations were written a short while ago.
    private static func put(
        off readings: inout [EventReading], _ buckets: inout [String: ObservationBucket], at now: Int64
    ) {
        var due: [Int64: Int64] = [:]
        for bucket in buckets.values where bucket.due > now {
            for reading in bucket.new { due[reading.event] = max(due[reading.event] ?? 0, bucket.due) }
        }
        guard !due.isEmpty else { return }
        for index in readings.indices {
            guard let time = due[readings[index].event.number] else { continue }
            readings[index].settlement = .deferred(until: time)
        }
        for id in Array(buckets.keys) { buckets[id]?.new.removeAll { due[$0.event] != nil } }
    }

    private func loadReadings(_ buckets: inout [String: ObservationBucket]) async throws {
        let known = buckets.values.compactMap { bucket in
            bucket.new.isEmpty ? nil : bucket.known.number.map { (id: bucket.id, number: $0) }
        }
        guard !known.isEmpty else { return }
        let found = try await database.read { transaction in
            let measurements = GatewayMeasurements(transaction: transaction)
            return try known.map { id, number in
                let present = try RecordStore().read(type: Observation.resourceType, id: id, in: transaction)
                return (
                    readings: try measurements.readings(of: number),
                    present: present.flatMap { $0.isDeleted ? nil : $0.content }
                )
            }
        }
        for (bucket, found) in zip(known, found) {
            buckets[bucket.id]?.known.measurements = found.readings
            buckets[bucket.id]?.present = found.present
        }
    }

    /// So many parts of a batch are made at a time.
    private static let parts = 4

    /// The Observations of buckets, made beside each other.
    private static func make(
        _ buckets: [ObservationBucket], _ writing: any WriteAdmission
    ) async -> [(ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)])] {
        typealias Result = (ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)])
        let size = max(16, (buckets.count + parts - 1) / parts)
        return await withTaskGroup(of: (Int, [Result]).self) { group in
            for start in stride(from: 0, to: buckets.count, by: size) {
                group.addTask {
                    var patterns = ObservationPatterns()
                    return (
                        start, buckets[start..<min(start + size, buckets.count)].map { make($0, writing, &patterns) }
                    )
                }
            }
            var made: [Int: [Result]] = [:]
            for await (start, results) in group { made[start] = results }
            return made.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    /// The Observation of a bucket with all that came, or with as much of it as can be.
    private static func make(
        _ bucket: ObservationBucket, _ writing: any WriteAdmission, _ patterns: inout ObservationPatterns
    ) -> (ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)]) {
        do {
            return (try bucket.made(with: bucket.new, writing, &patterns), [])
        } catch {
            guard bucket.new.count > 1 else {
                return (nil, bucket.new.map { ($0.event, reason(error)) })
            }
        }
        var good: [GatewayMeasurements.Numbered] = []
        var result: ObservationBucket.Made?
        var failures: [(event: Int64, GatewayReason)] = []
        for reading in bucket.new {
            do {
                result = try bucket.made(with: good + [reading], writing, &patterns)
                good.append(reading)
            } catch { failures.append((reading.event, reason(error))) }
        }
        return (result, failures)
    }

    private static func reason(_ error: any Error) -> GatewayReason {
        (error as? any CodedError).map { GatewayReason($0) }
            ?? GatewayReason("observation-invalid", "The readings make no Observation that can be stored.")
    }

    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}

// MARK: - The transaction

extension GatewayRecorder {
    /// What one transaction writes.
    private struct Batch: Sendable {
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
    }

    private func write(_ batch: Batch, in transaction: any SQLTransaction) throws {
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
        _ made: [(bucket: ObservationBucket, made: ObservationBucket.Made)], of participant: String, _ batch: Batch,
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

// MARK: - Waiting

extension GatewayRecorder {
    /// Has the events worked on that waited for something that is there now: a registration, a consent.
    ///
    /// - Parameter last: the device behind which it goes on; empty for the first.
    /// - Returns: the device that the next call goes on behind; nil where all were looked at.
    public func release(behind last: String) async throws -> String? {
        let writing = await admission.begin(at: clock())
        let limit = 200
        let (devices, free) = try await database.read { transaction in
            let devices = try GatewayEvents.waitingDevices(behind: last, limit: limit, in: transaction)
            let free = try devices.filter { device in
                switch try DeviceRegistration.owner(of: device, in: transaction) {
                case .unknown: return false
                case .ended: return true
                case .participant(let participant, _):
                    if case .held = try writing.standing(of: participant, in: transaction) { return false }
                    return true
                }
            }
            return (devices, free)
        }
        if !free.isEmpty {
            try await database.write { transaction in
                for device in free { try GatewayEvents(transaction: transaction).release(device: device) }
            }
        }
        return devices.count == limit ? devices.last : nil
    }
}
