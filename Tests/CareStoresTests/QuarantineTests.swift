import CarePlans
import Core
import Foundation
import Testing

@testable import CareStores

@Suite struct CareQuarantineTests {
    let server = ModelCareServer()

    @Test(arguments: [(400, "entity-invalid"), (413, "body-too-large"), (422, "outcome-impossible")])
    func theCulpritAndItsFollowersAreQuarantinedAndTheOthersSent(status: Int, code: String) async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        await server.refuse(id: "bad", CareServerError(code, status: status))
        let bad = try Make.version("bad")
        var versions = try (0..<20).map { try Make.version("contact-\($0)") }
        versions.insert(bad, at: 7)
        let follower = try Make.version("bad", following: [bad.uuid])
        try await store.insert(versions + [follower])
        let report = try await store.sync()
        #expect(report.pushed == 20 && report.unsent == 2)
        let quarantine = await store.quarantine
        #expect(Set(quarantine.map(\.uuid)) == [bad.uuid, follower.uuid])
        #expect(quarantine.allSatisfy { $0.code == code })
        #expect(quarantine.first { $0.uuid == follower.uuid }?.cause == bad.uuid)
        // It is durable, and later changes of the refused entity are quarantined too.
        let again = try phone.open()
        #expect(await again.quarantine == quarantine)
        try await again.insert([Make.version("bad", following: [follower.uuid]), Make.version("good")])
        #expect(try await again.sync().pushed == 1)
        #expect(await again.quarantine.count == 3)
        // After the cause has gone, the versions are sent.
        await server.refuse(id: "bad", nil)
        try await again.retryQuarantined()
        #expect(try await again.sync().pushed == 3)
        #expect(await again.quarantine.isEmpty)
    }

    @Test(arguments: [(404, "not-found"), (413, "account-full")])
    func aRefusalOfAllDataNeedsOneRequest(status: Int, code: String) async throws {
        let store = try CarePhone(server).open()
        try await store.insert((0..<900).map { try Make.version("contact-\($0)") })
        await server.beforePush { [server] in await server.fail(CareServerError(code, status: status)) }
        #expect(try await store.sync().unsent == 900)
        #expect(await server.pushes.isEmpty)
    }

    @Test func discardedVersionsLeaveTheCopy() async throws {
        let phone = CarePhone(server)
        let store = try phone.open()
        let first = try Make.version("contact")
        try await store.insert([first])
        try await store.sync()
        await server.refuse(id: "contact", CareServerError("entity-invalid", status: 400))
        try await store.insert([Make.version("contact", following: [first.uuid])])
        try await store.sync()
        try await store.discardQuarantined()
        #expect(await store.copy.graph.tips == [first])
        #expect(try await phone.open().copy.graph.tips == [first])
    }

    @Test func aVersionWithoutItsPredecessorIsQuarantinedNotTriedForEver() async throws {
        let store = try CarePhone(server).open()
        try await store.insert([Make.version("contact", following: [UUID()]), Make.version("good")])
        let report = try await store.sync()
        #expect(report.pushed == 1)
        #expect(await store.quarantine.map(\.code) == ["reference-missing"])
        #expect(try await store.sync().pushed == 0)
    }
}
