import CarePlans
import CareStores
import CareTestSupport
import Core
import Foundation
import HTTPTypes
import Storage
import Testing

@testable import CareSync

/// The log of the server, in the store of a test.
struct StoredLog: SimulatedLog {
    let fixture: CareFixture
    private static let tables = ["care_log", "care_push", "care_vector", "care_clock", "care_version"]

    func server(session: String) -> any CareServer { Session(fixture: fixture, name: session) }

    private struct Session: CareServer {
        let fixture: CareFixture
        let name: String

        func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int)
            async throws
            -> CareAnswer
        {
            try await fixture.log.pull(
                since: knowledge, page: page, caller: caller == .careKit ? .careKit : .complete,
                patient: CareFixture.patient, session: name)
        }

        func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
            do {
                return try await fixture.push(revisions, knowledge, session: name)
            } catch let error as CareLogError {
                throw CareServerError(error.code, status: error.code == "reference-missing" ? 409 : 422)
            }
        }
    }

    func versions() async throws -> [CareEntity] {
        try await fixture.database.read { transaction in
            try transaction.query("SELECT kind, content FROM care_version ORDER BY number", []).map { row in
                let kind = try #require(CareEntityKind(rawValue: try row.text("kind")))
                return try CareStoredVersion.entity(kind, content: try row.text("content"))
            }
        }
    }

    func backUp() async throws {
        try await fixture.database.write { transaction in
            for table in Self.tables {
                _ = try transaction.execute("DROP TABLE IF EXISTS kept_\(table)", [])
                _ = try transaction.execute("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)", [])
            }
            _ = try transaction.execute("CREATE TABLE IF NOT EXISTS kept (number INTEGER)", [])
        }
    }

    func restore() async throws {
        let exists = (try? await fixture.database.read { try $0.query("SELECT number FROM kept", []).count }) != nil
        guard exists else { return }
        try await fixture.database.write { transaction in
            for table in Self.tables.reversed() { _ = try transaction.execute("DELETE FROM \(table)", []) }
            for table in Self.tables {
                _ = try transaction.execute("INSERT INTO \(table) SELECT * FROM kept_\(table)", [])
            }
        }
        try await fixture.renew()
    }
}

/// The care plan of one patient by the routes of the server.
struct RoutedLog: SimulatedLog {
    let fixture: CareRouteFixture
    let patient: CareRouteFixture.SignedIn

    func server(session: String) -> any CareServer { Session(fixture: fixture, patient: patient) }

    private struct Session: CareServer {
        let fixture: CareRouteFixture
        let patient: CareRouteFixture.SignedIn

        private func post(_ body: JSON, _ path: String) async throws -> JSON {
            let answer = try await fixture.ask(
                .post, "patients/\(patient.id)/" + path, as: patient.token, body: body)
            guard answer.status == 200 else { throw CareServerError(answer.code ?? "none", status: answer.status) }
            return answer.json
        }

        func pull(since knowledge: KnowledgeVector, page: String?, for caller: CareCaller, wait seconds: Int)
            async throws
            -> CareAnswer
        {
            var body: JSON = ["knowledgeVector": knowledge.json]
            if let page { body["after"] = .string(page) }
            if caller == .careKit { body["for"] = .string(caller.rawValue) }
            let answer = try await post(body, "revisions/pull")
            return try CareAnswer(answer)
        }

        func push(_ revisions: [CareRevision], knowledge: KnowledgeVector) async throws -> KnowledgeVector {
            let answer = try await post(
                ["revisions": .array(revisions.map(\.json)), "knowledgeVector": knowledge.json], "revisions")
            return try KnowledgeVector(try #require(answer["knowledgeVector"]))
        }
    }

    func versions() async throws -> [CareEntity] {
        var versions: [CareEntity] = []
        var page: String?
        repeat {
            let answer = try await server(session: "all").pull(
                since: KnowledgeVector(), page: page, for: .phone, wait: 0)
            versions += answer.revisions.flatMap(\.entities)
            page = answer.next
        } while page != nil
        return versions
    }

    func backUp() async throws {}
    func restore() async throws {}
}
