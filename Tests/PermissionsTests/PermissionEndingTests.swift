import Core
import FHIR
import Foundation
import Storage
import Testing
import Wire

@testable import Permissions
@testable import RecordStorage

@Suite struct PermissionEndingTests {
    @Test func walletEndsAllThatItGaveToACsi() async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(wallet: "anna")
            let bert = try await fixture.csi(wallet: "bert")
            let (app, doctor) = (try await fixture.csi(), try await fixture.csi(role: .provider))
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            let later = try await fixture.grant(fixture.terms([app], from: 1_000, until: 2_000), by: wallet)[0]
            let child = try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)[0]
            let others = try await fixture.grant(fixture.terms([app]), by: bert)[0]
            let expired = try await fixture.grant(fixture.terms([app], from: -10, until: 0), by: wallet)[0]
            let ended = try await fixture.end(app, by: wallet)
            #expect(Set(ended.permissions.map(\.id)) == [parent, later])
            #expect(ended.passedOn.map(\.id) == [child] && ended.patients == ["anna"])
            #expect(try await fixture.isActive(others))
            #expect(try await fixture.permission(expired).endedAt == nil)
            for id in [parent, later, child] {
                let permission = try await fixture.permission(id)
                #expect(permission.endedAt == fixture.clock.now && permission.endingRequestID != nil)
            }
            #expect(try await fixture.end(app, by: wallet).permissions == [])
            #expect(try await fixture.count("permission_request") == 6)
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func onePermissionEndsByItsId() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let first = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            let second = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            #expect(try await fixture.end(app, second, by: wallet).permissions.map(\.id) == [second])
            #expect(try await fixture.isActive(first))
            #expect(try await fixture.end(app, "unknown", by: wallet).permissions == [])
            // A permission of another csi is not found.
            let other = try await fixture.csi()
            #expect(try await fixture.end(other, first, by: wallet).permissions == [])
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func appEndsOnlyWhatItPassedOn() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let doctor = try await fixture.csi(role: .provider)
            let own = try await fixture.grant(fixture.terms([doctor]), by: wallet)[0]
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            let child = try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)[0]
            #expect(try await fixture.end(doctor, by: app).permissions.map(\.id) == [child])
            #expect(try await fixture.isActive(own))
            #expect(try await fixture.isActive(parent))
            // A stranger and the grantee itself end nothing.
            #expect(try await fixture.end(app, by: doctor).permissions == [])
            #expect(try await fixture.end(doctor, own, by: doctor).permissions == [])
            // The wallet ends what the app passes on.
            let again = try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)[0]
            #expect(try await fixture.end(doctor, again, by: wallet).permissions.map(\.id) == [again])
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func newWalletOfThePatientSeesAndEndsEverything() async throws {
        try await PermissionFixture.with { fixture in
            let (former, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let id = try await fixture.grant(fixture.terms([app]), by: former)[0]
            try await fixture.end(former)
            #expect(try await fixture.isActive(id))
            let new = try await fixture.csi(wallet: "anna")
            #expect(try await fixture.given(new).map(\.id) == [id])
            #expect(try await fixture.end(app, by: new).permissions.map(\.id) == [id])
            #expect(try await fixture.given(new) == [])
            #expect(try await fixture.given(new, all: true).map(\.status) == [.revoked])
        }
    }

    @Test func endedCsiEndsWhatItReceivedAndPassedOn() async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(wallet: "anna")
            let (app, doctor) = (try await fixture.csi(), try await fixture.csi(role: .provider))
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            let own = try await fixture.grant(fixture.terms([doctor]), by: wallet)[0]
            let child = try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)[0]
            let ended = try await fixture.end(app)
            #expect(Set((ended.permissions + ended.passedOn).map(\.id)) == [parent, child])
            #expect(try await fixture.isActive(own))
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func endChangesTheTokensThatCarryThePermission() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let doctor = try await fixture.csi(role: .provider)
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            let other = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            let child = try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)[0]
            try await fixture.database.write { transaction in
                for (id, client, permission) in [
                    ("t1", app, parent), ("t2", doctor, child), ("t3", app, other),
                ] {
                    try transaction.execute(
                        """
                        INSERT INTO access_authorization (id, client_id, scopes, created_at, expires_at,
                            permission_changes) VALUES (?, ?, '', '', '', 0)
                        """, [SQLValue(id), SQLValue(client.guid.text)])
                    try transaction.execute(
                        "INSERT INTO token_permission (authorization_id, permission_id) VALUES (?, ?)",
                        [SQLValue(id), SQLValue(permission)])
                }
            }
            _ = try await fixture.end(app, parent, by: wallet)
            let changes = try await fixture.database.read { transaction in
                try transaction.query("SELECT id, permission_changes FROM access_authorization ORDER BY id").map {
                    try "\($0.text("id")) \($0.integer("permission_changes"))"
                }
            }
            #expect(changes == ["t1 1", "t2 1", "t3 0"])
        }
    }

    @Test func accountEndsAPermissionWithoutASignature() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let id = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            let (store, now) = (fixture.store, fixture.clock.now)
            func end() async throws -> Int {
                try await fixture.database.write {
                    try store.end(permission: id, by: "person", at: now, in: $0).permissions.count
                }
            }
            #expect(try await end() == 1)
            #expect(try await end() == 0)
            let stored = try await fixture.resource("Provenance", "\(id)-2")
            let provenance = try #require(stored.as(Provenance.self))
            #expect(provenance.signature.isEmpty && provenance.agent.first?.who?.identifier?.value == "person")
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func lostConsentDoesNotPreventTheEnd() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let id = try await fixture.grant(fixture.terms([app]), by: wallet)[0]
            try await fixture.database.write { transaction in
                for table in RecordsSchema.searchEntryTables.map(\.0) {
                    try transaction.execute("DELETE FROM \(table)", [])
                }
                for table in ["record_protection", "record_version", "record"] {
                    try transaction.execute("DELETE FROM \(table)", [])
                }
            }
            #expect(try await fixture.end(app, by: wallet).permissions.map(\.id) == [id])
            #expect(try await !fixture.isActive(id))
            #expect(try await fixture.verify().different == [id])
        }
    }
}
