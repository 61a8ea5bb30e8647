import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import TestSupport
import Testing

/// One phone with a synchronizer, for short tests.
struct Scene {
    static let heartRate = "HKQuantityTypeIdentifierHeartRate"
    static let steps = "HKQuantityTypeIdentifierStepCount"

    let clock: ManualClock
    let world: World
    let phone: Phone
    let synchronizer: HealthSynchronizer
    let handlers = Handlers()

    /// - Parameter earlier: An earlier scene, whose process ends; nil begins a new one.
    init(
        after earlier: Scene? = nil, types: [String] = [Scene.heartRate], version: String = "1",
        lookBackDays: Int? = nil, limits: HealthSyncLimits = HealthSyncLimits(), stores: [String] = ["outbox"],
        random: Double = 0, isLowPower: Bool = false, hasStores: Bool = true
    ) async {
        clock = earlier?.clock ?? ManualClock()
        world = earlier?.world ?? World(seed: 1, types: types, clock: clock)
        phone = Phone(world: world, process: await world.restart())
        synchronizer = HealthSynchronizer(
            source: phone, storage: phone,
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), version: version, lookBackDays: lookBackDays,
                limits: limits),
            environment: .test(clock, random: random, isLowPower: isLowPower))
        guard hasStores else { return }
        for name in stores { await synchronizer.add(shelf(name), named: name, types: Set(types)) }
    }

    func shelf(_ name: String) -> Shelf { Shelf(world: world, process: phone.process, name: name) }

    /// Adds a heart rate; the number distinguishes contents, the days give its age.
    @discardableResult
    func add(_ beats: Int = 72, daysAgo: Int = 0, readableFrom: Int = 0) async throws -> UUID {
        let seconds = Int64(1_699_990_000 - daysAgo * 86_400) - Samples.start.seconds
        return await world.add(try Samples.heartRate("\(beats)", at: seconds), readableFrom: readableFrom)
    }

    func state(_ type: String = Scene.heartRate, _ store: String = "outbox") async throws -> HealthStreamState {
        let stream = HealthStream(type: type, store: store)
        let bytes = try #require(await world.saved[stream])
        return try HealthStreamState(bytes, of: stream)
    }

    func expected(_ store: String = "outbox") async -> Set<String> {
        await world.expected(store, identity: .content, types: Set(world.types))
    }

    /// Whether the store has the content of the source.
    func isEqual(_ store: String = "outbox") async -> Bool { await world.things(store) == expected(store) }

    /// Returns the anchor of a stream as its source writes it, or nil if there is none.
    func anchor(_ store: String = "outbox") async throws -> String? {
        try await state(Scene.heartRate, store).anchor?.text
    }
}
