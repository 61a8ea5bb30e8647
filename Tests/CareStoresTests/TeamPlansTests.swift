import AccountClient
import CarePlans
import Core
import Foundation
import TestSupport
import Testing

@testable import CareStores

@Suite struct TeamPlansTests {
    let plans = ["ann": ModelCareServer(), "bob": ModelCareServer()]
    let transport: ModelTeamTransport
    let folder: TemporaryFolder

    init() throws {
        transport = ModelTeamTransport(plans)
        folder = try TemporaryFolder()
    }

    private func client() async throws -> AccountClient {
        let server = try AccountServer("https://study.example", antispam: "blue")
        let client = try AccountClient(server: server, folder: folder.url, transport: transport)
        try await client.login(email: "dora@example.org", password: "good password")
        return client
    }

    private func pull(_ plans: TeamPlans) async throws -> TeamPlans.Report {
        let (reports, continuation) = AsyncStream.makeStream(of: TeamPlans.Report.self)
        try await plans.pull { continuation.yield($0) }
        continuation.finish()
        for await report in reports { return report }
        throw CancellationError()
    }

    @Test func requestsAndRefusalsHaveTheFormOfTheRoutes() async throws {
        let server = AccountCareServer(client: try await client(), patient: "ann")
        await transport.clear()
        let knowledge = KnowledgeVector([UUID(): 3])
        _ = try await server.pull(since: knowledge, page: "p2", for: .careKit, wait: 90)
        _ = try await server.pull(since: knowledge, page: nil, for: .phone, wait: 0)
        let version = try Make.version("contact")
        let revision = CareRevision([version], knowledgeVector: knowledge)
        #expect(try await server.push([revision], knowledge: knowledge) == knowledge)
        let requests = await transport.requests
        #expect(
            requests.map(\.path) == [
                "patients/ann/revisions/pull", "patients/ann/revisions/pull", "patients/ann/revisions",
            ])
        let vector = knowledge.json
        #expect(requests[0].body == ["knowledgeVector": vector, "after": "p2", "for": "carekit", "wait": 30])
        #expect(requests[1].body == ["knowledgeVector": vector])
        #expect(requests[2].body == ["revisions": [revision.json], "knowledgeVector": vector])
        await transport.fail("ann", status: 422, code: "outcome-impossible")
        do {
            _ = try await server.push([revision], knowledge: knowledge)
            Issue.record("The push was taken.")
        } catch let error as CareServerError {
            #expect(error.code == "outcome-impossible" && error.status == 422 && error.retryAfter == 7)
        }
        await transport.setUnreachable(true)
        do {
            _ = try await server.pull(since: knowledge, page: nil, for: .phone, wait: 0)
            Issue.record("The pull was answered.")
        } catch let error as CareServerError {
            #expect(error.code == "connection-failed" && error.status == nil)
        }
    }

    @Test func aPullUpdatesTheOthersIfOnePatientFails() async throws {
        for (id, plan) in plans {
            let phone = try CarePhone(plan).open()
            try await phone.insert([Make.version("contact-of-\(id)")])
            try await phone.sync()
        }
        let client = try await client()
        let team = TeamPlans(client: client, patience: 0)
        await transport.fail("ann", status: 503, code: "busy")
        await transport.addNews(["ann", "bob"])
        let first = try await pull(team)
        #expect(first.changes.entered == ["ann", "bob"])
        #expect(first.updated == ["bob"])
        #expect(first.json["failed"] == [["patient": "ann", "code": "busy"]])
        // The next pull tries again without news, in a new process too.
        await transport.succeed("ann")
        try FileManager.default.removeItem(at: client.plansFolder.appendingPathComponent("ann.care"))
        let second = try await pull(TeamPlans(client: client, patience: 0))
        #expect(second.changes.isEmpty && second.updated == ["ann"] && second.failed.isEmpty)
        #expect(try await team.store(of: "ann").entities().map(\.id) == ["contact-of-ann"])
        let third = try await pull(team)
        #expect(third.updated.isEmpty && third.failed.isEmpty)
    }

    @Test func copiesOfPatientsWhoLeftAreRemovedAlsoIfTheyAreOpen() async throws {
        let client = try await client()
        let team = TeamPlans(client: client, patience: 0)
        await transport.addNews(["ann", "bob"])
        _ = try await pull(team)
        await transport.addNews([], left: ["ann"])
        do {
            let open = try await team.store(of: "ann")
            let report = try await pull(team)
            #expect(report.failed.map(\.code) == ["file-busy"])
            #expect(report.changes.left == ["ann"])
            withExtendedLifetime(open) {}
        }
        #expect(CarePlanStore.hasCopy(of: "ann", in: client.plansFolder))
        #expect(try await pull(team).failed.isEmpty)
        #expect(!CarePlanStore.hasCopy(of: "ann", in: client.plansFolder))
        #expect(CarePlanStore.hasCopy(of: "bob", in: client.plansFolder))
    }

    @Test func aLogoutRemovesTheCopies() async throws {
        let client = try await client()
        await transport.addNews(["ann", "bob"])
        _ = try await pull(TeamPlans(client: client))
        try await client.logout()
        #expect(try FileManager.default.contentsOfDirectory(atPath: client.plansFolder.path) == [])
    }
}
