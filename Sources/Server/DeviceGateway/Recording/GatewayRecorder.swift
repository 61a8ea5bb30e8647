import Audit
import Core
import FHIR
import Foundation
import RecordStorage
import Storage

/// Makes Observations of the events that hubs accepted. Writes them through the server's admission, with their facts
/// and audit rows, in the transaction that settles the events.
///
/// The state that an Observation is made from is read before the transaction. If it changed meanwhile, the Observation
/// is made again.
package struct GatewayRecorder: Sendable {
    let database: any SQLDatabase
    let audit: AuditLog
    let admission: any RecordAdmission
    let templates: @Sendable () async -> GatewayTemplates?
    let clock: @Sendable () -> Date
    let newID: @Sendable () -> UUID
    private let executor = BackgroundExecutor()

    /// - Parameters:
    ///   - admission: the server's admission: validation, identifying data, consent, facts.
    ///   - templates: returns the templates of the study; nil if there are none that can be read. Then events wait.
    package init(
        database: any SQLDatabase, audit: AuditLog, admission: any RecordAdmission,
        templates: @escaping @Sendable () async -> GatewayTemplates?, clock: @escaping @Sendable () -> Date,
        newID: @escaping @Sendable () -> UUID = { .random() }
    ) {
        self.database = database
        self.audit = audit
        self.admission = admission
        self.templates = templates
        self.clock = clock
        self.newID = newID
    }

    /// Maximum events and bytes in one transaction. The first batch is smaller, so that events after a pause are
    /// stored sooner: nothing can be written meanwhile.
    static let batch = (first: 500, events: 2_000, bytes: 4 << 20)

    /// The error that the state of a batch has changed: the batch is made again.
    struct Outdated: Error {}

    /// Processes the due events until there are none. The next batch is prepared while one is written.
    func work() async throws {
        try await withTaskExecutorPreference(executor) { try await workInBackground() }
    }

    private func workInBackground() async throws {
        var limit = Self.batch.first
        while var batch = try await prepare(after: nil, limit: limit) {
            while true {
                try _Concurrency.Task.checkCancellation()
                let current = batch
                // Events that a hub accepts before the batch is written are part of the next one.
                let turn = AsyncStream<Never>.makeStream()
                let larger = min(limit * 2, Self.batch.events)
                async let following = prepare(after: current, limit: larger, awaiting: turn.stream)
                limit = larger
                try await record(current) { turn.continuation.finish() }
                guard let next = try await following else { break }
                batch = next
                executor.release(current)
            }
        }
    }

    private func prepare(
        after current: GatewayBatch, limit: Int, awaiting turn: AsyncStream<Never>
    ) async throws -> GatewayBatch? {
        for await _ in turn {}
        return try await prepare(after: current, limit: limit)
    }

    /// Makes the Observations of the next due events.
    ///
    /// - Parameters:
    ///   - current: a batch that is being written. Only events after it are taken, and only those of other
    ///     Observations, because the outcome of its own is not known yet.
    ///   - limit: maximum number of events.
    /// - Returns: nil if there are none.
    private func prepare(after current: GatewayBatch?, limit: Int) async throws -> GatewayBatch? {
        guard let templates = await templates() else { return nil }
        let at = clock()
        let now = Self.milliseconds(at)
        let due = try await database.read { transaction in
            try GatewayEvents.due(
                after: current?.end, limit: limit, bytes: Self.batch.bytes, at: now, in: transaction)
        }.preceded(by: current)
        guard let due else { return nil }
        let writing = await admission.begin(at: at)
        // 1. The readings that the templates find, and the owners of their devices.
        var readings = await Self.inParts(due.events) { events in events.map { EventReading($0, by: templates) } }
        let devices = readings.reduce(into: Set<String>()) { $0.formUnion($1.devices) }.sorted()
        let (owners, known) = try await database.read { transaction in
            let owners = try devices.reduce(into: [String: DeviceRegistration.Owner]()) { owners, device in
                owners[device] = try DeviceRegistration.owner(of: device, in: transaction)
            }
            return (owners, try GatewayIdentity(in: transaction))
        }
        var made = known
        if made == nil { made = try await database.write { try GatewayIdentity(makingIn: $0) } }
        guard let identity = made else { return nil }
        var buckets = Self.buckets(of: &readings, owners, identity)
        var left = Self.leave(current?.observations ?? [], readings: &readings, buckets: &buckets)
        if due.events.count >= limit {
            left += Self.leave(
                Self.cut(readings, buckets, carried: current?.left.last), readings: &readings, buckets: &buckets)
            left.sort { $0.number < $1.number }
        }
        guard !readings.isEmpty else { return nil }
        // 2. The stored state of each Observation. Those with many readings wait a little for more.
        let observations = Set(buckets.keys)
        try await load(&buckets)
        Self.quarantineForeign(&readings, &buckets)
        Self.deferEvents(of: &readings, &buckets, at: now)
        try await loadReadings(&buckets)
        // 3. The Observations. If one fails, its readings are tried one by one, so that only the invalid ones fail.
        var works: [ObservationWork] = []
        let open = buckets.values.filter { !$0.new.isEmpty }.sorted { $0.id < $1.id }
        for (bucket, (result, failures)) in zip(open, await Self.make(open, writing: writing)) {
            if let result { works.append(ObservationWork(bucket, result)) }
            for (event, reason) in failures {
                for index in readings.indices where readings[index].event.number == event {
                    readings[index].quarantine(reason, device: bucket.new.first?.measurement.deviceID)
                }
            }
        }
        return GatewayBatch(
            hub: due.hub, readings: readings, works: works, owners: owners, writing: writing, at: at,
            submissionID: "gateway:" + newID().lowercaseText, last: due.last, observations: observations,
            left: left)
    }

    /// Writes a batch in one transaction.
    ///
    /// - Parameter begun: called when all earlier writes are finished, even if this one fails.
    private func record(_ batch: GatewayBatch, begun: @escaping @Sendable () -> Void = {}) async throws {
        defer { begun() }
        do {
            try await database.write { transaction in
                begun()
                try write(batch, in: transaction)
            }
        } catch is Outdated {
            // Another process was faster, or a device changed owner: the next batch reads the new state.
        }
    }

    /// Leaves events of Observations that are being written for later.
    ///
    /// - Returns: the left events.
    private static func leave(
        _ observations: Set<String>, readings: inout [EventReading], buckets: inout [String: ObservationBucket]
    ) -> [GatewayEvents.Stored] {
        var left: Set<Int64> = []
        for id in observations { for reading in buckets[id]?.new ?? [] { left.insert(reading.event) } }
        guard !left.isEmpty else { return [] }
        let events = readings.map(\.event).filter { left.contains($0.number) }
        // The other readings of these events wait with them.
        for id in Array(buckets.keys) {
            buckets[id]?.new.removeAll { left.contains($0.event) }
            if buckets[id]?.new.isEmpty ?? false { buckets[id] = nil }
        }
        readings.removeAll { left.contains($0.event.number) }
        return events
    }

    /// Returns the Observations of several readings to which the last event belongs. Later events probably belong to
    /// them too, so they are written once, with these. Events that were already left once are not left again, nor is
    /// more than half of a batch.
    private static func cut(
        _ readings: [EventReading], _ buckets: [String: ObservationBucket], carried: GatewayEvents.Stored?
    ) -> Set<String> {
        guard let last = readings.last?.event.number else { return [] }
        let cut = buckets.values.filter { bucket in
            bucket.template.period != .single && bucket.new.count <= readings.count / 2
                && bucket.new.last?.event == last && bucket.new.allSatisfy { $0.event > carried?.number ?? 0 }
        }
        return Set(cut.map(\.id))
    }

    /// Groups the readings by Observation. Readings without a participant wait.
    private static func buckets(
        of readings: inout [EventReading], _ owners: [String: DeviceRegistration.Owner], _ identity: GatewayIdentity
    ) -> [String: ObservationBucket] {
        var buckets: [String: ObservationBucket] = [:]
        for index in readings.indices {
            for (measurement, template) in readings[index].measurements {
                switch owners[measurement.deviceID] ?? .unknown {
                case .ended:
                    readings[index].settlement = readings[index].settlement.orMore(.refused)
                case .unknown:
                    let reason = GatewayReason(
                        "device-unknown", "The device is not registered; see `tributary gateway register`.")
                    readings[index].settlement = readings[index].settlement.orMore(
                        .waiting(device: measurement.deviceID, reason))
                case .participant(let participant, let record):
                    if let stated = measurement.patientID, stated != participant {
                        readings[index].quarantine(
                            GatewayReason(
                                "patient-mismatch",
                                "The event names a Patient who is not the owner of the device."),
                            device: measurement.deviceID)
                        continue
                    }
                    let own = measurement.of(participant: participant)
                    guard let identifier = MeasurementGroup(template, [own])?.identifier else { continue }
                    let id = identity.id(of: Observation.resourceType, identifier)
                    var bucket =
                        buckets[id]
                        ?? ObservationBucket(
                            id: id, identifier: identifier, participant: participant, device: record,
                            template: template)
                    guard bucket.participant == participant else {
                        // A correlation that the devices of two participants name.
                        readings[index].quarantine(foreign, device: measurement.deviceID)
                        continue
                    }
                    bucket.new.append(.init(event: readings[index].event.number, measurement: own))
                    buckets[id] = bucket
                }
            }
        }
        return buckets
    }

    static let foreign = GatewayReason(
        "subject-not-permitted", "The Observation that the reading belongs to is another participant's.")

    private func load(_ buckets: inout [String: ObservationBucket]) async throws {
        let ids = buckets.keys.sorted()
        let groups = try await database.read { transaction in
            try GatewayMeasurements(transaction: transaction).groups(ids)
        }
        for (id, group) in groups { buckets[id]?.known = group }
    }

    /// Quarantines readings that would become part of another participant's Observation.
    private static func quarantineForeign(
        _ readings: inout [EventReading], _ buckets: inout [String: ObservationBucket]
    ) {
        for (id, bucket) in buckets {
            guard let owner = bucket.known.participant, owner != bucket.participant else { continue }
            buckets[id] = nil
            for reading in bucket.new {
                for index in readings.indices where readings[index].event.number == reading.event {
                    readings[index].quarantine(foreign, device: reading.measurement.deviceID)
                }
            }
        }
    }

    /// Defers events whose Observations were written a short while ago.
    private static func deferEvents(
        of readings: inout [EventReading], _ buckets: inout [String: ObservationBucket], at now: Int64
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
            bucket.new.isEmpty
                ? nil : bucket.known.number.map { (id: bucket.id, number: $0, participant: bucket.participant) }
        }
        guard !known.isEmpty else { return }
        let found = try await database.read { transaction in
            let measurements = GatewayMeasurements(transaction: transaction)
            return try known.map { id, number, participant in
                let present = try RecordStore().read(type: Observation.resourceType, id: id, in: transaction)
                return (
                    readings: try measurements.readings(of: number, participant),
                    present: present.flatMap { $0.isDeleted ? nil : $0.content }
                )
            }
        }
        for (bucket, found) in zip(known, found) {
            buckets[bucket.id]?.known.measurements = found.readings
            buckets[bucket.id]?.present = found.present
        }
    }

    /// Number of parts of a batch that are processed concurrently.
    private static let parts = 4

    /// Maps items in several parts concurrently.
    private static func inParts<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ make: @escaping @Sendable (ArraySlice<Item>) -> [Result]
    ) async -> [Result] {
        let size = max(16, (items.count + parts - 1) / parts)
        return await withTaskGroup(of: (Int, [Result]).self) { group in
            for start in stride(from: 0, to: items.count, by: size) {
                group.addTask { (start, make(items[start..<min(start + size, items.count)])) }
            }
            var made: [Int: [Result]] = [:]
            for await (start, results) in group { made[start] = results }
            return made.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    /// Makes the Observations of buckets concurrently.
    private static func make(
        _ buckets: [ObservationBucket], writing: any WriteAdmission
    ) async -> [(ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)])] {
        await inParts(buckets) { part in
            var readingTemplates = ReadingTemplates()
            return part.map { make($0, writing: writing, readingTemplates: &readingTemplates) }
        }
    }

    /// Makes the Observation of a bucket with all new readings, or with as many of them as possible.
    private static func make(
        _ bucket: ObservationBucket, writing: any WriteAdmission, readingTemplates: inout ReadingTemplates
    ) -> (ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)]) {
        do {
            return (try bucket.made(with: bucket.new, writing, &readingTemplates), [])
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
                result = try bucket.made(with: good + [reading], writing, &readingTemplates)
                good.append(reading)
            } catch { failures.append((reading.event, reason(error))) }
        }
        return (result, failures)
    }

    private static func reason(_ error: any Error) -> GatewayReason {
        (error as? any CodedError).map { GatewayReason($0) }
            ?? GatewayReason("observation-invalid", "The readings do not give an Observation that can be stored.")
    }

    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }
}
