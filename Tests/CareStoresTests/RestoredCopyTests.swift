import CarePlans
import Core
import DeviceSystem
import Foundation
import TestSupport
import Testing

@testable import CareStores

@Suite struct RestoredCopyTests {
    let server = ModelCareServer()

    @Test func aRestoredCopyTakesANewProcessAndGetsItsOwnVersionsBack() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        try await store.insert([Make.version("before")])
        try await store.sync()
        let backup = phone.file.backup()
        try await store.insert([Make.version("after")])
        try await store.sync()
        // The user changes the restored copy before its first sync.
        let restored = try CarePhone(server, file: backup).open()
        let former = await restored.process
        try await restored.insert([Make.version("later")])
        let report = try await restored.sync()
        #expect(await restored.process != former)
        #expect(report.pulled == 1 && report.pushed == 1 && report.unsent == 0)
        #expect(await Set(restored.copy.graph.versions.values.map(\.id)) == ["before", "after", "later"])
        // The other phones get the version of the restored copy.
        let other = try CarePhone(server).open()
        #expect(try await other.sync().pulled == 3)
        #expect(await server.pulls.contains { $0.clocks[former] == 0 })
    }

    @Test func aPhoneWithoutARestorationKeepsItsProcess() async throws {
        let phone = CarePhone(server)
        let process = try await phone.open().process
        for number in 0..<5 {
            let store = try phone.open()
            try await store.insert([Make.version("contact-\(number)")])
            await server.loseAnswers(number % 2 == 0)
            _ = try? await store.sync()
        }
        await server.loseAnswers(false)
        let store = try phone.open()
        try await store.sync()
        #expect(await store.process == process)
    }

    @Test func afterARestoreOfTheServerThePhonesSendWhatItLacks() async throws {
        let (one, two) = (try CarePhone(server).open(), try CarePhone(server).open())
        let first = try Make.version("contact")
        try await one.insert([first])
        try await one.sync()
        let second = try Make.version("contact", following: [first.uuid])
        try await one.insert([second])
        try await one.sync()
        try await two.sync()
        await server.restore(keeping: 0)
        // The second phone adds a version on top of versions that the server has lost.
        try await two.insert([Make.version("contact", following: [second.uuid])])
        let report = try await two.sync()
        #expect(report.unsent == 0)
        #expect(await server.order.count == 3)
        try await one.sync()
        #expect(await one.copy.graph.versions.count == 3)
    }

    @Test func missingReferencesAreSentAgain() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        let first = try Make.version("contact")
        try await store.insert([first])
        try await store.sync()
        // The server lost the version, but its vectors say nothing of it.
        await server.restore(keeping: 0)
        _ = try await phone.session.pull(since: KnowledgeVector(), page: nil, for: .phone, wait: 0)
        try await store.insert([Make.version("contact", following: [first.uuid])])
        try await store.sync()
        #expect(await server.order.count == 2)
        #expect(await store.quarantine.isEmpty)
    }

    @Test func aPhoneThatEndsAtAnyByteLosesNothing() async throws {
        var random = Seeded.fresh()
        for number in 1...14 {
            for part in [0, 1, 17, Int.random(in: 2..<2_000, using: &random), 1_000_000] {
                try await checkStop(inWrite: number, after: part)
            }
        }
    }

    /// Ends the process in one write of a phone that changes and synchronises, and checks all phones afterwards.
    private func checkStop(inWrite number: Int, after part: Int) async throws {
        let server = ModelCareServer()
        let other = try CarePhone(server).open()
        for number in 0..<5 { try await other.insert([Make.version("other-\(number)")]) }
        try await other.sync()
        let phone = CarePhone(server)
        var acknowledged: [UUID] = []
        do {
            phone.file.stop(inWrite: number, after: part)
            let store = try phone.open()
            for round in 0..<4 {
                let version = try Make.version("mine-\(round)")
                try await store.insert([version])
                acknowledged.append(version.uuid)
                try await store.sync()
            }
        } catch let error as DeviceStorageError {
            #expect(error == MemoryFile.stopped)
        }
        phone.file.restart()
        let store = try phone.open()
        let versions = await store.copy.graph.versions
        #expect(acknowledged.allSatisfy { versions[$0] != nil }, "write \(number), byte \(part)")
        try await store.sync()
        try await other.sync()
        let complete = await server.versions
        #expect(await store.copy.graph.versions == complete, "write \(number), byte \(part)")
        #expect(await other.copy.graph.versions == complete, "write \(number), byte \(part)")
        #expect(await store.unsentCount == 0)
    }

    @Test func aFullDiskLeavesTheCopyAsItWas() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        phone.file.setFull(true)
        await #expect(throws: DeviceStorageError.self) { try await store.insert([Make.version("contact")]) }
        #expect(await store.copy.graph.versions.isEmpty)
        phone.file.setFull(false)
        try await store.insert([Make.version("contact")])
        #expect(try await phone.open().copy.graph.versions.count == 1)
    }

    @Test func damageBeforeTheEndIsAnErrorAndAnotherPatientToo() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        for number in 0..<3 { try await store.insert([Make.version("contact-\(number)")]) }
        var bytes = phone.file.bytes
        bytes[200] ^= 1
        let damaged = MemoryFile(bytes)
        #expect(throws: CareStoreError(.storeDamaged)) { try CarePhone(server, file: damaged).open() }
        #expect(throws: CareStoreError(.storeForeign)) {
            try CarePlanStore(patient: "bob", file: phone.file, server: server)
        }
        #expect(throws: CareStoreError(.storeDamaged)) {
            try CarePhone(server, file: MemoryFile(Array("another file of some length".utf8))).open()
        }
    }
}
