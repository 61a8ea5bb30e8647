import AccessPolicy
import Audit
import Core
import Foundation
import Storage
import Testing
import Wire

@testable import Permissions

/// Calls about permissions by the whole pipeline.
@Suite struct PermissionCallTests {
    private struct Server {
        let fixture: PermissionFixture
        let calls: CsiCalls

        init(_ fixture: PermissionFixture) {
            self.fixture = fixture
            let clock = fixture.clock
            calls = CsiCalls(
                audit: AuditLog(database: fixture.database, clock: { clock.now }), permissions: fixture.store,
                rules: .init(acceptsVersion1: true))
        }

        /// Reads a body and performs the call, as the routes do.
        func send(_ body: Data, path: CsiPath, all: Bool = false) async throws -> JSON {
            let request = try calls.read(body, path: path, isConfidential: true)
            return try await calls.perform(request, includesEnded: all)
        }

        func send(
            _ call: CsiCall, by csi: TestCsi, version: CsiSignatureVersion = .v2, all: Bool = false
        ) async throws -> JSON {
            try await send(
                fixture.call(call, by: csi, version: version).request.body, path: call.path, all: all)
        }

        /// The rows of the audit, the oldest first.
        func audit() async throws -> [AuditEntry] { try await calls.audit.entries().reversed() }
    }

    @Test(arguments: CsiSignatureVersion.allCases)
    func eachCallHasItsAnswerAndOneRowOfTheAudit(version: CsiSignatureVersion) async throws {
        try await PermissionFixture.with { fixture in
            let server = Server(fixture)
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let terms = try fixture.terms([app])
            let granted = GrantAnswer(json: try await server.send(.grant(terms), by: wallet, version: version))
            let id = try #require(granted?.permissions.first)
            let given = try await server.send(.fetchGiven, by: wallet, version: version)
            let received = try await server.send(.fetchReceived, by: app, version: version)
            #expect(PermissionsAnswer(json: given)?.permissions.map(\.id) == [id])
            #expect(PermissionsAnswer(json: received)?.permissions.map(\.version) == [version])
            let ended = try await server.send(.end(app.guid), by: wallet, version: version)
            #expect(ended == ["status": "ok", "revoked": 1])
            #expect(try await server.send(.end(app.guid), by: wallet, version: version)["revoked"] == 0)
            #expect(try await server.send(.fetchGiven, by: wallet, version: version) == ["permissions": []])
            let all = try await server.send(.fetchGiven, by: wallet, version: version, all: true)
            #expect(PermissionsAnswer(json: all)?.permissions.map(\.status) == [.revoked])
            let rows = try await server.audit()
            #expect(
                rows.map(\.action) == [
                    "grant-permission", "list-permissions", "list-permissions", "end-permission", "end-permission",
                    "list-permissions", "list-permissions",
                ])
            #expect(rows.allSatisfy(\.isAllowed) && rows.first?.resourceID == id)
            #expect(rows.first?.actor == wallet.guid.text && rows.first?.resourceType == "Consent")
        }
    }

    @Test func refusedGrantLeavesOnlyItsAuditRowAndItsNonce() async throws {
        try await PermissionFixture.with { fixture in
            let server = Server(fixture)
            let (app, other) = (try await fixture.csi(), try await fixture.csi())
            let call = try await fixture.call(.grant(fixture.terms([other])), by: app).request
            for expected in [PermissionError.Reason.notPermitted, .nonceReused] {
                let refused = try await fixture.refusal {
                    _ = try await server.send(call.body, path: .writePermission)
                }
                #expect(refused == expected)
            }
            #expect(try await server.audit().map(\.reason) == ["not_permitted", "nonce_reused"])
            for table in PermissionFixture.tables { #expect(try await fixture.count(table) == 0) }
            #expect(try await fixture.count("csi_nonce") == 1)
        }
    }

    @Test func replayedGrantGivesNothingMore() async throws {
        try await PermissionFixture.with { fixture in
            let server = Server(fixture)
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let call = try await fixture.call(.grant(fixture.terms([app])), by: wallet).request
            _ = try await server.send(call.body, path: .writePermission)
            _ = try await server.send(.end(app.guid), by: wallet)
            let refused = try await fixture.refusal {
                _ = try await server.send(call.body, path: .writePermission)
            }
            #expect(refused == .nonceReused)
            #expect(try await fixture.received(app) == [])
        }
    }

    /// A10: version 2 signs each field.
    @Test func a10_changeOfAnyFieldIsRefused() async throws {
        try await PermissionFixture.with { fixture in
            let server = Server(fixture)
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let other = try await fixture.csi(wallet: "bert")
            let later = CsiInstant(fixture.clock.now.addingTimeInterval(3_600)).text
            let call = try await fixture.call(
                .grant(fixture.terms([app], .read, of: "Patient", sensitivities: ["ETH"])), by: wallet
            ).request
            let body = try #require(JSON(reading: call.body))
            let changes: [([String], JSON)] = [
                (["permission", "endTime"], .string(later)), (["permission", "startTime"], .string(later)),
                (["permission", "timeStamp"], .string(later)),
                (["permission", "permissionedCsiGuids"], .array([.string(other.guid.text)])),
                (["permission", "permissionedCsiGuids"], .array([.string(app.guid.text), .string(other.guid.text)])),
                (["permission", "parentPermissionId"], "x"), (["permission", "heartScope", "accessType"], "write"),
                (["permission", "heartScope", "confidentialityScope"], "V"),
                (["permission", "heartScope", "resourceScope"], "*"),
                (["permission", "heartScope", "sensitivityScope"], ["ETH", "SOC"]),
                (["permission", "heartScope", "sensitivityScope"], []), (["csiGuid"], .string(other.guid.text)),
                (["dateTime"], .string(CsiInstant(fixture.clock.now.addingTimeInterval(1)).text)),
                (["nonce"], "another-nonce-of-it"),
            ]
            for (path, value) in changes {
                let changed = Self.changing(body, path[...], to: value)
                #expect(changed != body)
                let refused = try await fixture.refusal {
                    _ = try await server.send(changed.data(), path: .writePermission)
                }
                #expect(refused == .badSignature, "\(path)")
            }
            // The signature counts for its own call only.
            for path in CsiPath.allCases where path != .writePermission {
                let refused = try await fixture.refusal { _ = try await server.send(call.body, path: path) }
                #expect(refused == .malformed, "\(path)")
            }
            #expect(try await fixture.count("access_permission") == 0)
            #expect(try await fixture.count("csi_nonce") == 0)
            _ = try await server.send(call.body, path: .writePermission)
        }
    }

    /// A12: the boundary of two lists in version 1.
    @Test(arguments: CsiSignatureVersion.allCases)
    func a12_guidMovedToTheSensitivitiesIsRefused(version: CsiSignatureVersion) async throws {
        try await PermissionFixture.with { fixture in
            let server = Server(fixture)
            let wallet = try await fixture.csi(wallet: "anna")
            let (first, second) = (try await fixture.csi(), try await fixture.csi())
            let call = try await fixture.call(
                .grant(fixture.terms([first, second], .read, of: "Patient", sensitivities: ["ETH"])), by: wallet,
                version: version
            ).request
            let body = try #require(JSON(reading: call.body))
            let guids = ["permission", "permissionedCsiGuids"][...]
            let sensitivities = ["permission", "heartScope", "sensitivityScope"][...]
            for (grantees, codes) in [
                ([first], [second.guid.text, "ETH"]), ([first, second], [first.guid.text, "ETH"]), ([second], ["ETH"]),
            ] {
                let changed = Self.changing(
                    Self.changing(body, guids, to: .array(grantees.map { .string($0.guid.text) })), sensitivities,
                    to: .array(codes.map { .string($0) }))
                let refused = try await fixture.refusal {
                    _ = try await server.send(changed.data(), path: .writePermission)
                }
                #expect(refused == .badSignature)
            }
            #expect(try await fixture.count("access_permission") == 0)
        }
    }

    private static func changing(_ json: JSON, _ path: ArraySlice<String>, to value: JSON) -> JSON {
        guard let name = path.first else { return value }
        var json = json
        json[name] = changing(json[name] ?? .null, path.dropFirst(), to: value)
        return json
    }
}
