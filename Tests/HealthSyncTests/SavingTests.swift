import Foundation
import HealthSync
import Testing

/// The times at which the state of a stream is written to the disk.
@Suite struct SavingTests {
    /// A phone with forty samples, of which a step takes two.
    private func scene(after earlier: Scene? = nil, samples: Int = 40) async throws -> Scene {
        let scene = await Scene(after: earlier, limits: HealthSyncLimits(samples: 1_000, batch: 2))
        await scene.world.set { $0.hasPosition = false }
        if earlier == nil { for number in 0..<samples { try await scene.add(100 + number) } }
        return scene
    }

    @Test func stepsThatFollowOneAnotherAreSavedTogether() async throws {
        let scene = try await scene()
        let report = await scene.synchronizer.run()
        #expect(!report.hasMore && !report.hasFailed)
        let (saves, isEqual) = (await scene.world.saves, await scene.isEqual())
        // Once when the stream began, once at the end.
        #expect(saves == 2 && isEqual)
        #expect(try await scene.anchor() == "40")
    }

    @Test func longRunIsSavedEachSecond() async throws {
        let scene = try await scene()
        // Three calls of a step, 0.2 s each.
        await scene.world.set { $0.secondsACall = 0.2 }
        await scene.synchronizer.run()
        let (saves, isEqual) = (await scene.world.saves, await scene.isEqual())
        #expect((4...15).contains(saves) && isEqual, "\(saves)")
    }

    @Test(arguments: [0.0, 0.2]) func failureToSaveAStateIsReportedAndItsWorkIsRepeated(seconds: Double) async throws {
        let scene = try await scene()
        await scene.world.set {
            $0.savesLeft = 1
            $0.secondsACall = seconds
        }
        let report = await scene.synchronizer.run()
        #expect(report.hasFailed)
        #expect(try await scene.state().anchor == nil)
        await scene.world.set { $0.savesLeft = nil }
        let again = await scene.synchronizer.run()
        #expect(!again.hasFailed && !again.hasMore)
        let isEqual = await scene.isEqual()
        #expect(isEqual)
        #expect(try await scene.anchor() == "40")
    }

    @Test func runWithoutBudgetForTheNextStepIsSaved() async throws {
        let scene = try await scene()
        await scene.synchronizer.run()
        for number in 0..<10 { try await scene.add(200 + number) }
        let next = await Scene(after: scene, limits: HealthSyncLimits(samples: 6, batch: 2))
        #expect(await next.synchronizer.run().hasMore)
        #expect(try await next.anchor() == "46")
    }

    @Test func resetRemovesTheStateOfARunningStream() async throws {
        let scene = try await scene()
        async let run = scene.synchronizer.run()
        await scene.synchronizer.reset()
        _ = await run
        await scene.synchronizer.reset()
        let saved = await scene.world.saved
        #expect(saved.isEmpty)
    }
}
