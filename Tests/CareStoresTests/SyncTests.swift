import CarePlans
import Core
import Foundation
import Testing

@testable import CareStores

@Suite struct CareSyncTests {
    let server = ModelCareServer()

    @Test func twoPhonesExchangeVersionsInPages() async throws {
        let (one, two) = (try CarePhone(server).open(), try CarePhone(server).open())
        for number in 0..<10 { try await one.insert([Make.version("contact-\(number)")]) }
        let pushed = try await one.sync()
        #expect(pushed.pushed == 10 && pushed.unsent == 0)
        let pulled = try await two.sync()
        #expect(pulled.pulled == 10 && pulled.pushed == 0)
        #expect(await two.copy.graph.versions == one.copy.graph.versions)
        // A sync without news writes nothing, and sends no push.
        let knowledge = await two.knowledge
        try await two.sync()
        #expect(await two.knowledge == knowledge)
        #expect(await server.pushes.count == 1)
    }

    @Test func aLostAnswerIsNoSecondVersion() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        try await store.insert([Make.version("contact")])
        await server.loseAnswers(true)
        await #expect(throws: CareServerError.self) { try await store.sync() }
        #expect(await store.unsentCount == 1)
        await server.loseAnswers(false)
        try await store.sync()
        #expect(await store.unsentCount == 0)
        #expect(await server.order.count == 1)
    }

    @Test func conflictsAreResolvedByTheServerAlone() async throws {
        let (one, two) = (try CarePhone(server).open(), try CarePhone(server).open())
        let first = try Make.version("contact")
        try await one.insert([first])
        try await one.sync()
        try await two.sync()
        try await one.insert([Make.version("contact", following: [first.uuid], updated: 700_000_100)])
        try await two.insert([Make.version("contact", following: [first.uuid], updated: 700_000_200)])
        try await one.sync()
        let report = try await two.sync()
        #expect(report.pulled == 2 && report.resolved == 1)
        try await one.sync()
        #expect(await one.copy.graph.versions.count == 4)
        #expect(await one.copy.graph.tips == two.copy.graph.tips)
        #expect(await one.copy.graph.tips.count == 1)
    }

    @Test func concurrentSyncsAreOneAtATimeAndIncludeAllChanges() async throws {
        let store = try CarePhone(server).open()
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    try await store.insert([Make.version("contact-\(number)")])
                    try await store.sync()
                    #expect(await server.versions.values.contains { $0.id == "contact-\(number)" })
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.unsentCount == 0)
    }

    @Test func manyVersionsGoInBoundedPushes() async throws {
        let store = try CarePhone(server).open()
        try await store.insert((0..<1_203).map { try Make.version("contact-\($0)") })
        await server.setPageSize(500)
        try await store.sync()
        #expect(await server.pushes.map(\.count) == [500, 500, 203])
        let other = try CarePhone(server).open()
        #expect(try await other.sync().pulled == 1_203)
    }

    @Test func aStopBetweenTwoPushesLosesNothing() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        try await store.insert((0..<700).map { try Make.version("contact-\($0)") })
        await server.setPageSize(1_000)
        // The second push fails. The server's vector covers all versions already, which does not count as an answer.
        let failure = CareServerError("server-error", status: 503)
        await server.beforePush { [server] in await server.beforePush { await server.fail(failure) } }
        await #expect(throws: CareServerError.self) { try await store.sync() }
        #expect(await store.unsentCount == 200)
        let other = try CarePhone(server).open()
        #expect(try await other.sync().pulled == 500)
        #expect(try await phone.open().sync().pushed == 200)
        #expect(try await other.sync().pulled == 200)
    }

    @Test func failuresDeferTheNextAttemptLongerAndLonger() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        var delays: [Double] = []
        for _ in 0..<12 {
            await server.fail(CareServerError("server-error", status: 500))
            await #expect(throws: CareServerError.self) { try await store.sync() }
            let next = try #require(await store.nextAttempt)
            delays.append(next.timeIntervalSince(phone.clock.now))
        }
        #expect(delays == [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
        #expect(try await phone.open().nextAttempt != nil)
        try await store.sync()
        #expect(await store.nextAttempt == nil)
    }

    @Test func theServersDelayHoldsForAnExplicitSyncToo() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        await server.fail(CareServerError("too-many-requests", status: 429, retryAfter: 90))
        await #expect(throws: CareServerError.self) { try await store.sync() }
        await #expect(throws: CareStoreError(.syncDeferred)) { try await store.sync() }
        phone.clock.advance(91)
        try await store.sync()
    }

    @Test(arguments: [401, 403, 408, 409, 429, 500, 503])
    func temporaryRefusalsQuarantineNothing(status: Int) async throws {
        let store = try CarePhone(server).open()
        try await store.insert([Make.version("contact")])
        await server.beforePush { [server] in await server.fail(CareServerError("busy", status: status)) }
        await #expect(throws: CareServerError.self) { try await store.sync() }
        #expect(await store.quarantine.isEmpty)
        #expect(try await store.sync().pushed == 1)
    }

    @Test func followingRetriesAndStopsWithItsTask() async throws {
        let store = try CarePhone(server).open()
        try await store.insert([Make.version("contact")])
        await server.fail(CareServerError("server-error", status: 500))
        let (waits, continuation) = AsyncStream.makeStream(of: Double.self)
        let following = Task {
            try await store.follow(waiting: 0) { seconds in
                continuation.yield(seconds)
                try Task.checkCancellation()
            }
        }
        var count = 0
        for await _ in waits {
            count += 1
            if count == 4 { break }
        }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
        #expect(await server.order.count == 1)
    }
}
