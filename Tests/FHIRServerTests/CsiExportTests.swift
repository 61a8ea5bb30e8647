import AccessPolicy
import FHIR
import Foundation
import Identity
import Storage
import Testing

@testable import BulkExport
@testable import FHIRHTTP
@testable import FHIRServer

/// P02: exports by the token of an app that rests on permissions of people.
@Suite struct CsiExportTests {
    private static let token = "token-of-the-app"
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    /// Stores two patients, and an app with a token that carries a permission of each.
    private func fixture() async throws -> RecordsFixture {
        var fixture = try await RecordsFixture()
        fixture.exports = Exports(
            database: fixture.database, access: fixture.access,
            folder: try ExportFolder(fixture.folder.appendingPathComponent("exports")), clock: { Date() })
        for patient in ["a", "b", "c"] {
            try await fixture.put(#"{"resourceType":"Patient","id":"\#(patient)"}"#, at: start)
        }
        let guid = String(repeating: "g", count: 36)
        let now = SQLValue(Date())
        let end = SQLValue(Date().addingTimeInterval(3_600))
        try await fixture.database.write { transaction in
            try transaction.execute(
                "INSERT INTO registered_client (id, name, scopes, created_at) VALUES (?, 'App', '', ?)",
                [SQLValue(guid), now])
            try transaction.execute(
                """
                INSERT INTO permission_request (id, csi, path, public_key, body, received_at)
                VALUES ('r', 'w', '/', '', ?, ?)
                """, [.blob(Data()), now])
            try transaction.execute(
                """
                INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at, permission_changes)
                VALUES ('t', ?, '', ?, ?, 0)
                """, [SQLValue(guid), now, end])
            try transaction.execute(
                """
                INSERT INTO bearer_token (token_digest, authorization_id, scopes, created_at, expires_at)
                VALUES (?, 't', '', ?, ?)
                """, [SQLValue(SecretDigest(of: Self.token).hex), now, end])
            for patient in ["a", "b"] {
                try transaction.execute(
                    """
                    INSERT INTO access_permission
                        (id, request_id, grantor, grantee, participant, access, resource_types, confidentiality,
                         sensitivities, starts_at, ends_at, created_at)
                    VALUES (?, 'r', 'w', ?, ?, 'read', '*', 'N', '', ?, ?, ?)
                    """, [SQLValue("p-" + patient), SQLValue(guid), SQLValue(patient), now, end, now])
                try transaction.execute(
                    "INSERT INTO token_permission (authorization_id, permission_id) VALUES ('t', ?)",
                    [SQLValue("p-" + patient)])
            }
        }
        return fixture
    }

    private func service(_ fixture: RecordsFixture) -> RecordsService {
        RecordsService(
            database: fixture.database, access: fixture.access, exports: fixture.exports, clock: { Date() })
    }

    private func endPermission(_ fixture: RecordsFixture) async throws {
        try await fixture.database.write { transaction in
            try transaction.execute(
                "UPDATE access_permission SET ended_at = ? WHERE id = 'p-b'", [SQLValue(Date())])
            try transaction.execute("UPDATE access_authorization SET permission_changes = 1")
        }
    }

    private func start(_ service: RecordsService, by grant: AccessGrant) async throws -> String {
        try await service.startExport(
            ExportRequest(.system, parameters: [], lenient: false, base: "u"), path: "$export", lenient: false,
            by: grant)
    }

    @Test func endOfAPermissionHidesAnExportThatRestsOnIt() async throws {
        let fixture = try await fixture()
        let exports = try #require(fixture.exports)
        let service = service(fixture)
        let grant = try #require(try await fixture.access.tokens.grant(bearer: Self.token))
        let id = try await start(service, by: grant)
        while try await exports.workOnNext() {}
        guard case .done(_, let files) = try await service.exportState(id, by: grant) else {
            Issue.record("the export is not done")
            return
        }
        let file = try #require(files.first)
        let path = try await service.exportFile(file.name, of: id, by: grant).path
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: 0x0A).count == 2)
        try await endPermission(fixture)
        let current = try #require(try await fixture.access.tokens.grant(bearer: Self.token))
        #expect(current.patients(at: Date()) == .only(["a"]))
        for grant in [grant, current] {
            await #expect(throws: RecordsFailure.self) { try await service.exportState(id, by: grant) }
            await #expect(throws: RecordsFailure.self) { try await service.exportFile(file.name, of: id, by: grant) }
        }
        // The remaining permission gives an export of its own.
        let next = try await start(service, by: current)
        while try await exports.workOnNext() {}
        guard case .done = try await service.exportState(next, by: current) else {
            Issue.record("the export is not done")
            return
        }
        try await fixture.close()
    }

    @Test func endOfAPermissionAbortsAnExportAtWork() async throws {
        let fixture = try await fixture()
        let exports = try #require(fixture.exports)
        let service = service(fixture)
        let grant = try #require(try await fixture.access.tokens.grant(bearer: Self.token))
        let id = try await start(service, by: grant)
        try await endPermission(fixture)
        while try await exports.workOnNext() {}
        await #expect(throws: RecordsFailure.self) { try await service.exportState(id, by: grant) }
        let left = try await fixture.database.read {
            try $0.first("SELECT count(*) AS number FROM export_job WHERE id = ?", [SQLValue(id)])?.integer("number")
        }
        #expect(left == 0)
        try await fixture.close()
    }
}
