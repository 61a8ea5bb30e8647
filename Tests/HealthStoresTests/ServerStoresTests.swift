import Core
import Foundation
import HealthData
import HealthStores
import HealthSync
import Outbox
import TestSupport
import Testing
import Wire

/// Different FHIR servers and an event hub: each ends equal to the source in spite of lost requests.
@Suite struct ServerStoresTests {
    private static let types: Set = [WrittenJournal.heartRate, WrittenJournal.steps, WrittenJournal.sleep]
    private static let base = URL(string: "https://r4.example/fhir")

    static let servers: [String: FHIRServer.Habits] = [
        "everything": .init(transactions: true, updateCreate: true, conditionalCreate: true, versions: true),
        "names, no transactions": .init(updateCreate: true, versions: true),
        "conditions and transactions": .init(transactions: true, conditionalCreate: true, versions: true),
        "conditions": .init(conditionalCreate: true),
        "neither": .init(page: 3),
        "neither, with versions": .init(versions: true, page: 1),
        "lies": .init(versions: true, lies: true),
        "lies but for transactions": .init(transactions: true, lies: true),
        "silent": .init(isSilent: true),
    ]

    private func synchronizer(
        _ journal: WrittenJournal, in folder: TemporaryFolder, to store: any ExternalStore,
        limits: HealthSyncLimits = .init(seconds: HealthSyncLimits.unhurried)
    ) async -> HealthSynchronizer {
        let synchronizer = HealthSynchronizer(
            source: HealthJournal(journal.url),
            storage: HealthSyncFolder(folder.url.appendingPathComponent("health-sync")),
            settings: HealthSyncSettings(
                selection: HealthSelection(subject: "p1"), version: "1", lookBackDays: nil, limits: limits))
        await synchronizer.add(store, named: "store", types: Self.types)
        return synchronizer
    }

    /// A process without saved state finds the resources that an earlier process posted, whichever features the server
    /// declares.
    @Test(arguments: servers.keys.sorted()) func anotherProcessDoesNotPostExistingResources(name: String) async throws {
        let habits = try #require(Self.servers[name])
        let base = try #require(Self.base)
        var random = Seeded.fresh()
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        for _ in 0..<12 { try journal.change(&random) }
        let server = FHIRServer(habits, seed: 1)
        for _ in 0..<3 {
            let store = FHIRHealthStore(base, transport: server, subject: "p1")
            #expect(await !synchronizer(journal, in: try TemporaryFolder(), to: store).run().hasFailed)
        }
        let expected = try journal.expected(subject: "p1").sorted()
        #expect(await server.observations == expected)
    }

    @Test(arguments: servers.keys.sorted()) func serverHasTheContentsOfTheJournal(name: String) async throws {
        var random = Seeded.fresh()
        var habits = try #require(Self.servers[name])
        let base = try #require(Self.base)
        for _ in 0..<4 {
            let folder = try TemporaryFolder()
            var journal = try WrittenJournal(in: folder)
            habits.faults = 0.25
            let server = FHIRServer(habits, seed: random.next())
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 0...12, using: &random) { try journal.change(&random) }
                // A process with the saved state only.
                let store = FHIRHealthStore(base, transport: server, subject: "p1")
                let limits = HealthSyncLimits(
                    seconds: HealthSyncLimits.unhurried,
                    samples: Int.random(in: 1...30, using: &random), batch: Int.random(in: 1...10, using: &random))
                _ = await synchronizer(journal, in: folder, to: store, limits: limits).run()
            }
            await server.change { $0.faults = 0 }
            var report: HealthSyncReport
            var rounds = 0
            repeat {
                let store = FHIRHealthStore(base, transport: server, subject: "p1")
                report = await synchronizer(journal, in: folder, to: store).run()
                rounds += 1
            } while report.hasMore && rounds < 100
            #expect(!report.hasMore && !report.hasFailed)
            let expected = try journal.expected(subject: "p1").sorted()
            let present = await server.observations
            let surplus = present.filter { !expected.contains($0) }
            let missing = expected.filter { !present.contains($0) }
            #expect(present == expected, "\(name): surplus \(surplus), missing \(missing)")
            // A run without changes sends no request.
            await server.forgetRequests()
            _ = await synchronizer(journal, in: folder, to: FHIRHealthStore(base, transport: server, subject: "p1"))
                .run()
            #expect(await server.requests.isEmpty)
        }
    }

    @Test func hubReceivesEachSampleAndEachDeletion() async throws {
        var random = Seeded.fresh()
        let connection = try EventHubConnection(
            reading: "Endpoint=sb://hub.example/;SharedAccessKeyName=k;SharedAccessKey=s;EntityPath=h")
        for _ in 0..<5 {
            let folder = try TemporaryFolder()
            var journal = try WrittenJournal(in: folder)
            let hub = Hub(faults: 0.3, seed: random.next())
            func run() async -> HealthSyncReport {
                let store = EventHubHealthStore(connection, transport: hub, patient: "p1", device: "d1")
                return await synchronizer(journal, in: folder, to: store).run()
            }
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 0...12, using: &random) { try journal.change(&random) }
                _ = await run()
            }
            var rounds = 0
            while await run().hasMore, rounds < 200 { rounds += 1 }
            #expect(await hub.samples == Set(journal.samples.keys.map(\.uuidString)))
        }
    }

    @Test func messagesHaveTheFormatOfReceivers() async throws {
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        let heart = try journal.add(WrittenJournal.heartRate, 66, minute: 1)
        let sleep = try journal.add(WrittenJournal.sleep, 3, minute: 2)
        let hub = Hub()
        let connection = try EventHubConnection(
            reading: "Endpoint=sb://hub.example/;SharedAccessKeyName=k;SharedAccessKey=s;EntityPath=h")
        let store = EventHubHealthStore(connection, transport: hub, patient: "p1", device: "d1")
        _ = await synchronizer(journal, in: folder, to: store).run()
        try journal.delete(sleep, WrittenJournal.sleep)
        _ = await synchronizer(journal, in: folder, to: store).run()
        let messages = await hub.messages
        let rate = messages.first { $0["uuid"]?.string == heart.uuidString }
        #expect(
            rate == [
                "uuid": .string(heart.uuidString), "startDate": "2026-03-01T07:01:00Z",
                "endDate": "2026-03-01T07:01:00Z",
                "heartRate": 66, "unit": "beats/min", "patientId": "p1", "deviceId": "d1",
            ])
        #expect(
            messages.contains([
                "uuid": .string(sleep.uuidString), "type": .string(WrittenJournal.sleep), "value": 3,
                "startDate": "2026-03-01T07:02:00Z", "endDate": "2026-03-01T07:02:00Z", "patientId": "p1",
                "deviceId": "d1",
            ]))
        #expect(
            messages.last == [
                "uuid": .string(sleep.uuidString), "type": .string(WrittenJournal.sleep), "deleted": true,
                "patientId": "p1", "deviceId": "d1",
            ])
    }

    @Test(arguments: [300, 302, 401, 404, 413, 429, 500]) func noStatusFrom300OnIsSuccess(status: Int) async throws {
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        try journal.add(WrittenJournal.heartRate, 66, minute: 1)
        let hub = Hub()
        await hub.answer(with: [status])
        let connection = try EventHubConnection(
            reading: "Endpoint=sb://hub.example/;SharedAccessKeyName=k;SharedAccessKey=s;EntityPath=h")
        let store = EventHubHealthStore(connection, transport: hub, patient: "p1", device: "d1")
        let report = await synchronizer(journal, in: folder, to: store).run()
        #expect(await hub.messages.isEmpty)
        let row = try #require(report.rows.first { $0.stream.type == WrittenJournal.heartRate })
        #expect(row.added == 0 && (row.quarantined == 1 || report.hasMore))
    }

    @Test func aTokenIsRenewedOnce() async throws {
        let base = try #require(Self.base)
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        try journal.add(WrittenJournal.heartRate, 66, minute: 1)
        let server = FHIRServer(.init(updateCreate: true, token: "new"))
        let store = FHIRHealthStore(
            base, transport: server, token: { isRenewal in isRenewal ? "new" : "old" }, subject: "p1")
        let report = await synchronizer(journal, in: folder, to: store).run()
        #expect(report.rows.map(\.added).reduce(0, +) == 1)
        await server.change { $0.token = "other" }
        try journal.add(WrittenJournal.heartRate, 67, minute: 2)
        await server.forgetRequests()
        let again = await synchronizer(journal, in: folder, to: store).run()
        #expect(again.rows.allSatisfy { $0.added == 0 } && again.hasMore)
        #expect(await server.requests.count == 2)
    }

    /// With status 403 the token may not write: nothing is quarantined, and everything is sent once the token may
    /// write.
    @Test(arguments: servers.keys.sorted()) func tokenWithoutWriteAccessKeepsEverything(name: String) async throws {
        var habits = try #require(Self.servers[name])
        let base = try #require(Self.base)
        habits.forbidden = ["Observation"]
        let folder = try TemporaryFolder()
        var random = Seeded.fresh()
        var journal = try WrittenJournal(in: folder)
        for _ in 0..<12 { try journal.change(&random) }
        let server = FHIRServer(habits)
        let report = await synchronizer(
            journal, in: folder, to: FHIRHealthStore(base, transport: server, subject: "p1")
        ).run()
        let expected = try journal.expected(subject: "p1").sorted()
        if !expected.isEmpty { #expect(report.hasFailed) }
        let codes = Set(report.rows.compactMap(\.code))
        #expect(codes.isSubset(of: [FHIRHealthStore.tokenMayNotWrite, FHIRHealthStore.tokenMayNotRead]), "\(codes)")
        #expect(report.rows.allSatisfy { $0.quarantined == 0 })
        // A token that may write Observations and no Devices sends all Observations.
        await server.change { $0.forbidden = ["Device"] }
        #expect(
            await !synchronizer(journal, in: folder, to: FHIRHealthStore(base, transport: server, subject: "p1")).run()
                .hasFailed)
        #expect(await server.observations == expected)
    }

    @Test func onlyFailedEntriesOfARefusedTransactionStay() async throws {
        let base = try #require(Self.base)
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        for minute in 0..<20 { try journal.add(WrittenJournal.heartRate, 60 + minute, minute: minute) }
        let server = FHIRServer(.init(transactions: true, updateCreate: true, refused: ["63", "71"]))
        let store = FHIRHealthStore(base, transport: server, subject: "p1")
        let report = await synchronizer(journal, in: folder, to: store).run()
        let row = try #require(report.rows.first { $0.stream.type == WrittenJournal.heartRate })
        #expect(row.added == 18 && row.quarantined == 2)
        #expect(await server.observations.count == 18)
    }

    @Test func identifierCountsAtAnyIndexAndChangesOfOthersStay() async throws {
        let base = try #require(Self.base)
        let folder = try TemporaryFolder()
        var journal = try WrittenJournal(in: folder)
        try journal.add(WrittenJournal.heartRate, 66, minute: 1)
        let server = FHIRServer(.init(versions: true))
        _ = await synchronizer(journal, in: folder, to: FHIRHealthStore(base, transport: server, subject: "p1")).run()
        // A hospital adds an identifier in front, and a note.
        let key = try #require(await server.stored.keys.first { $0.hasPrefix("Observation/") })
        await server.touch(key) { object in
            object["identifier"] = .array([["value": "LAB-1"]] + (object["identifier"]?.array ?? []))
            object["note"] = [["text": "seen"]]
        }
        // The device lost its state, and sends the sample again.
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("health-sync"))
        let report = await synchronizer(
            journal, in: folder, to: FHIRHealthStore(base, transport: server, subject: "p1")
        ).run()
        #expect(report.rows.map(\.updated).reduce(0, +) == 1)
        let stored = await server.stored
        #expect(stored.keys.count { $0.hasPrefix("Observation/") } == 1)
        #expect(stored[key]?.resource["identifier"]?.array?.contains(["value": "LAB-1"]) == true)
    }
}
