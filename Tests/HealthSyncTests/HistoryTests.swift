import Core
import Foundation
import HealthData
import HealthDataTestSupport
import HealthSync
import TestSupport
import Testing

/// Samples that existed before a stream began.
@Suite struct HistoryTests {
    @Test func historyIsReadFromTheNewestSampleToTheLookBack() async throws {
        let scene = await Scene(lookBackDays: 30, limits: HealthSyncLimits(samples: 3, batch: 3))
        for day in 0..<50 { try await scene.add(60 + day, daysAgo: day) }
        var counts: [Int] = []
        var hasMore = true
        while hasMore {
            hasMore = await scene.synchronizer.run().hasMore
            counts.append(await scene.world.things("outbox").count)
            let newest = await scene.world.newest(counts[counts.count - 1], Scene.heartRate)
            #expect(await scene.world.things("outbox") == newest)
        }
        #expect(counts.last == 30)
        #expect(counts.first == 3)
    }

    @Test func historyContinuesInALaterProcess() async throws {
        let limits = HealthSyncLimits(samples: 4, batch: 4)
        var scene = await Scene(limits: limits)
        for day in 0..<30 { try await scene.add(60 + day / 3, daysAgo: day / 3) }
        for beats in 0..<10 { try await scene.add(100 + beats, daysAgo: 5) }
        await scene.world.forgetCalls()
        var processes = 0
        while await scene.synchronizer.run().hasMore, processes < 50 {
            processes += 1
            scene = await Scene(after: scene, limits: limits)
        }
        #expect(processes < 20)
        #expect(await scene.isEqual())
    }

    @Test func longerLookBackContinuesAtTheEndOfTheShorterOne() async throws {
        var scene = await Scene(lookBackDays: 10)
        for day in 0..<40 { try await scene.add(60 + day, daysAgo: day) }
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox").count == 10)
        scene = await Scene(after: scene, lookBackDays: 20)
        await scene.world.forgetCalls()
        #expect(await scene.synchronizer.run().rows.map(\.added) == [10])
        scene = await Scene(after: scene, lookBackDays: 15)
        #expect(await scene.synchronizer.run().rows.map(\.added) == [0])
        scene = await Scene(after: scene, lookBackDays: nil)
        #expect(await scene.synchronizer.run().rows.map(\.added) == [20])
        #expect(await scene.isEqual())
    }

    @Test func newSampleWithAnOldDateIsReadByTheAnchor() async throws {
        let scene = await Scene(lookBackDays: 1)
        try await scene.add(60, daysAgo: 400)
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox") == [])
        try await scene.add(61, daysAgo: 4_000)
        #expect(await scene.synchronizer.run().rows.map(\.added) == [1])
    }

    @Test func liveDataAreSentBeforeHistory() async throws {
        let scene = await Scene(limits: HealthSyncLimits(samples: 2, batch: 2))
        for day in 0..<10 { try await scene.add(60 + day, daysAgo: day) }
        await scene.synchronizer.run()
        let live = try await scene.add(200)
        let fingerprint = await scene.world.samples[Scene.heartRate]?[live]?.sample.fingerprint
        let target = "Observation/" + (fingerprint?.resourceID(subject: "p1") ?? "")
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox").contains(target))
        #expect(await scene.world.things("outbox").count < 6)
    }

    @Test func historyWaitsWhileAnythingWaitsInTheStore() async throws {
        let scene = await Scene()
        for day in 0..<5 { try await scene.add(60 + day, daysAgo: day) }
        await scene.world.setBacklog(1, of: "outbox")
        var report = await scene.synchronizer.run()
        #expect(report.hasMore && !report.hasFailed)
        #expect(await scene.world.things("outbox") == [])
        // Live samples are still sent.
        try await scene.add(99)
        #expect(await scene.synchronizer.run().rows.map(\.added) == [1])
        await scene.world.setBacklog(0, of: "outbox")
        report = await scene.synchronizer.run()
        #expect(!report.hasMore)
        #expect(await scene.isEqual())
    }

    @Test func historyIsNotReadInLowPowerMode() async throws {
        let scene = await Scene(isLowPower: true)
        try await scene.add(60)
        #expect(await scene.synchronizer.run().hasMore)
        #expect(await scene.world.things("outbox") == [])
        try await scene.add(61)
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox").count == 1)
    }

    /// A sample of an export exists already; it is the same resource.
    @Test func sampleOfAnExportAndTheSameSampleAreOneResource() async throws {
        let scene = await Scene()
        let uuid = try await scene.add(60)
        for thing in await scene.expected() { await scene.world.plant(thing, in: "outbox") }
        let report = await scene.synchronizer.run()
        #expect(report.rows.map(\.updated) == [1])
        #expect(report.rows.map(\.added) == [0])
        #expect(await scene.world.things("outbox").count == 1)
        await scene.world.delete(uuid)
        await scene.synchronizer.run()
        #expect(await scene.world.things("outbox") == [])
    }

    @Test func observationIsDeletedWithItsLastSample() async throws {
        let scene = await Scene()
        var uuids: [UUID] = []
        for _ in 0..<4 { uuids.append(try await scene.add(60)) }
        await scene.synchronizer.run()
        for (index, uuid) in uuids.enumerated() {
            #expect(await scene.world.things("outbox").count == 1)
            await scene.world.delete(uuid)
            // The app ends between two deletions.
            let next = await Scene(after: scene)
            await next.synchronizer.run()
            #expect(await next.world.things("outbox").count == (index == 3 ? 0 : 1))
        }
    }

    @Test func equalSamplesAreSentOnceAndAllCounted() async throws {
        let scene = await Scene()
        await scene.synchronizer.run()
        var uuids: [UUID] = []
        for _ in 0..<100 { uuids.append(try await scene.add(60)) }
        await scene.synchronizer.run()
        #expect(await scene.world.calls("outbox").suffix(3) == ["fetch 1", "add 1", "update 99"])
        for uuid in uuids { await scene.world.delete(uuid) }
        await scene.world.forgetCalls()
        #expect(await scene.synchronizer.run().rows.map(\.deleted) == [100])
        #expect(await scene.world.calls("outbox") == ["delete 1"])
        #expect(await scene.isEqual())
    }

    @Test func unknownDeletionsAreSentToAStoreThatFindsThem() async throws {
        let scene = await Scene(hasStores: false)
        var server = scene.shelf("server")
        server.identity = .sample
        server.findsUnknown = true
        await scene.synchronizer.add(server, named: "server", types: [Scene.heartRate])
        await scene.synchronizer.run()
        let uuid = try await scene.add(60)
        await scene.world.plant(uuid.uuidString, in: "server")
        await scene.world.delete(uuid)
        await scene.synchronizer.run()
        #expect(await scene.world.things("server") == [])
        await scene.world.forgetCalls()
        await scene.synchronizer.run()
        #expect(await scene.world.calls("server") == [])
    }
}
