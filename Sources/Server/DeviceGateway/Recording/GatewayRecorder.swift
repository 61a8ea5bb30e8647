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
    private let executor = BackgroundExecutor()

    /// - Parameters:
    ///   - admission: the house: validation, what identifies, consent, facts.
    ///   - templates: those of the study; nil where it has none that can be read: then events wait.
    public init(
        database: any SQLDatabase, access: AccessControl, admission: any RecordAdmission,
        templates: @escaping @Sendable () async -> GatewayTemplates?, clock: @escaping @Sendable () -> Date,
        newID: @escaping @Sendable () -> UUID = { .random() }
    ) {
        self.database = database
        self.access = access
        self.admission = admission
        self.templates = templates
        self.clock = clock
        self.newID = newID
    }

    /// So many events are worked on in one transaction, and so many bytes of them. The first are fewer: what comes after a
    /// pause is stored sooner, and nothing can be written meanwhile.
    static let batch = (first: 500, events: 2_000, bytes: 4 << 20)

    /// Something that a batch was made of has changed: it is made anew.
    struct Outdated: Error {}

    /// Works on the events whose time has come until there are none: the next batch is made while one is written.
    func work() async throws {
        try await withTaskExecutorPreference(executor) { try await workInBackground() }
    }

    private func workInBackground() async throws {
        var limit = Self.batch.first
        while var batch = try await prepare(behind: nil, limit) {
            while true {
                try _Concurrency.Task.checkCancellation()
                let current = batch
                // What a hub takes before it is the batch's turn is part of the next one.
                let turn = AsyncStream<Never>.makeStream()
                let larger = min(limit * 2, Self.batch.events)
                async let following = prepare(behind: current, larger, after: turn.stream)
                limit = larger
                try await record(current) { turn.continuation.finish() }
                guard let next = try await following else { break }
                batch = next
                executor.release(current)
            }
        }
    }

    private func prepare(
        behind current: GatewayBatch, _ limit: Int, after turn: AsyncStream<Never>
    ) async throws -> GatewayBatch? {
        for await _ in turn {}
        return try await prepare(behind: current, limit)
    }

    /// Makes the Observations of the next events whose time has come.
    ///
    /// - Parameters:
    ///   - current: a batch that is being written: events behind it are taken, of those alone that are of other Observations,
    ///     as what becomes of its own is not known yet.
    ///   - limit: how many events at most.
    /// - Returns: nil where there are none.
    private func prepare(behind current: GatewayBatch?, _ limit: Int) async throws -> GatewayBatch? {
        guard let templates = await templates() else { return nil }
        let at = clock()
        let now = Self.milliseconds(at)
        let due = try await database.read { transaction in
            try GatewayEvents.due(
                behind: current?.end, limit: limit, bytes: Self.batch.bytes, at: now, in: transaction)
        }.preceded(by: current)
        guard let due else { return nil }
        let writing = await admission.begin(at: at)
        // 1. What the templates find, and whose it is.
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
        var left = Self.leave(current?.observations ?? [], &readings, &buckets)
        if due.events.count >= limit {
            left += Self.leave(Self.cut(readings, buckets, carried: current?.left.last), &readings, &buckets)
            left.sort { $0.number < $1.number }
        }
        guard !readings.isEmpty else { return nil }
        // 2. What stands already of each Observation; those of which much stands wait a little for more.
        let observations = Set(buckets.keys)
        try await load(&buckets, identity)
        Self.turnAway(&readings, &buckets)
        Self.put(off: &readings, &buckets, at: now)
        try await loadReadings(&buckets)
        // 3. The Observations. One that cannot be is tried reading by reading, so that what fails fails alone.
        var works: [ObservationWork] = []
        let open = buckets.values.filter { !$0.new.isEmpty }.sorted { $0.id < $1.id }
        for (bucket, (result, failures)) in zip(open, await Self.make(open, writing)) {
            if let result { works.append(ObservationWork(bucket, result)) }
            for (event, reason) in failures {
                for index in readings.indices where readings[index].event.number == event {
                    readings[index].note(reason, device: bucket.new.first?.measurement.deviceID)
                }
            }
        }
        return GatewayBatch(
            hub: due.hub, readings: readings, works: works, owners: owners, writing: writing, at: at,
            submissionID: "gateway:" + newID().lowercaseText, last: due.last, observations: observations,
            left: left)
    }

    /// Writes a batch, all of it in one transaction.
    ///
    /// - Parameter begun: called when nothing that was asked for before is left to be written, whatever comes of it.
    private func record(_ batch: GatewayBatch, begun: @escaping @Sendable () -> Void = {}) async throws {
        defer { begun() }
        do {
            try await database.write { transaction in
                begun()
                try write(batch, in: transaction)
            }
        } catch is Outdated {
            // Another one was faster, or a device changed hands: the next batch sees what stands then.
        }
    }

    /// Leaves events for later that are of Observations which are being written.
    ///
    /// - Returns: the events.
    private static func leave(
        _ observations: Set<String>, _ readings: inout [EventReading], _ buckets: inout [String: ObservationBucket]
    ) -> [GatewayEvents.Stored] {
        var left: Set<Int64> = []
        for id in observations { for reading in buckets[id]?.new ?? [] { left.insert(reading.event) } }
        guard !left.isEmpty else { return [] }
        let events = readings.map(\.event).filter { left.contains($0.number) }
        // One of several readings: what else it brings waits with it.
        for id in Array(buckets.keys) {
            buckets[id]?.new.removeAll { left.contains($0.event) }
            if buckets[id]?.new.isEmpty ?? false { buckets[id] = nil }
        }
        readings.removeAll { left.contains($0.event.number) }
        return events
    }

    /// The Observations of several readings to which the last event belongs, as those behind it likely do: with these they are
    /// written once. What was left once already is not left again, nor is most of a batch.
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

    /// The readings by the Observations that they belong to. What has no participant waits.
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
                    let id = identity.id(of: Observation.resourceType, identifier)
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

    static let foreign = GatewayReason(
        "subject-not-permitted", "The Observation that the reading belongs to is another participant's.")

    private func load(_ buckets: inout [String: ObservationBucket], _ identity: GatewayIdentity) async throws {
        let ids = buckets.keys.sorted()
        let groups = try await database.read { transaction in
            try GatewayMeasurements(transaction: transaction).groups(ids)
        }
        for (id, group) in groups { buckets[id]?.known = group }
        if identity.hasFormerIDs { try await loadFormer(&buckets) }
    }

    /// Readings of an Observation that an older version stored go on under its id.
    private func loadFormer(_ buckets: inout [String: ObservationBucket]) async throws {
        let new = buckets.values.filter { $0.known.number == nil }
        let former = Dictionary(
            new.map { (MeasurementGroup.id(of: $0.identifier), $0.id) }, uniquingKeysWith: { first, _ in first })
        guard !former.isEmpty else { return }
        let ids = former.keys.sorted()
        let groups = try await database.read { try GatewayMeasurements(transaction: $0).groups(ids) }
        // A record without readings of the gateway is somebody else's.
        for (id, group) in groups where group.number != nil {
            guard let present = former[id], var bucket = buckets.removeValue(forKey: present) else { continue }
            (bucket.id, bucket.known) = (id, group)
            buckets[id] = bucket
        }
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

    /// So many parts of a batch are worked on at a time.
    private static let parts = 4

    /// What is made of each item, of several parts beside each other.
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

    /// The Observations of buckets, made beside each other.
    private static func make(
        _ buckets: [ObservationBucket], _ writing: any WriteAdmission
    ) async -> [(ObservationBucket.Made?, failures: [(event: Int64, GatewayReason)])] {
        await inParts(buckets) { part in
            var patterns = ObservationPatterns()
            return part.map { make($0, writing, &patterns) }
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
