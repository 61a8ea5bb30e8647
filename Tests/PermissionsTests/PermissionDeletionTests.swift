import AccessTestSupport
import Core
import FHIR
import Foundation
import RecordStorage
import Storage
import Testing
import Wire

@testable import Permissions

@Suite struct PermissionDeletionTests {
    @Test func deletedParticipantLeavesNoPermission() async throws {
        try await PermissionFixture.with { fixture in
            let wallet = try await fixture.csi(device: "phone", wallet: "anna")
            let bert = try await fixture.csi(wallet: "bert")
            let (app, doctor) = (try await fixture.csi(), try await fixture.csi(role: .provider))
            let parent = try await fixture.grant(fixture.terms([app], .write), by: wallet)[0]
            try await fixture.grant(fixture.terms([doctor], parent: parent), by: app)
            // One request ends permissions of both.
            let berts = try await fixture.grant(fixture.terms([app], .write), by: bert)[0]
            try await fixture.grant(fixture.terms([doctor], parent: berts), by: app)
            #expect(try await fixture.end(doctor, by: app).permissions.count == 2)
            // Bert permits Anna's wallet to read.
            let toAnna = try await fixture.grant(fixture.terms([wallet]), by: bert)[0]
            let (store, now) = (fixture.store, fixture.clock.now)
            let removed = try await fixture.database.write { transaction in
                try transaction.execute(
                    "INSERT INTO wallet_code (secret_digest, participant, created_at, expires_at) VALUES ('x', ?, '', '')",
                    ["anna"])
                try transaction.execute(
                    "UPDATE csi SET claims = '[]' WHERE guid = ?", [SQLValue(wallet.guid.text)])
                let removed = try store.forget("anna", at: now, in: transaction)
                // The study keeps consents, but not those of permissions.
                _ = try RecordStore().delete(about: "anna", keeping: ["Consent", "Contract"], in: transaction)
                return removed
            }
            #expect(removed["access_permission"]?.count == 2 && removed["wallet_code"]?.count == 1)
            #expect(removed["permission_request"]?.count == 2)
            let left = try await fixture.database.contents(
                ["csi", "wallet_code", "access_permission", "permission_request", "record", "record_protection"])
            #expect(!left.contains("anna") && !left.contains("phone"))
            #expect(try await fixture.record("Consent", parent) == nil)
            #expect(try await fixture.instance(wallet).endedAt == now)
            #expect(try await !fixture.isActive(toAnna))
            #expect(try await fixture.isActive(berts))
            #expect(try await fixture.verify().different == [])
        }
    }

    @Test func consentsOfTheStudyAreKept() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            try await fixture.grant(fixture.terms([app]), by: wallet)
            let now = fixture.clock.now
            let other = try Resource(
                Data(
                    """
                    {"resourceType":"Consent","id":"study","status":"active","scope":{"text":"x"},
                    "category":[{"text":"y"}],"patient":{"reference":"Patient/anna"},"policyRule":{"text":"z"}}
                    """.utf8))
            try await fixture.database.write { transaction in
                _ = try RecordStore().put(
                    other, content: other.json.data(), original: nil, id: "study",
                    provenance: RecordProvenance(
                        submissionID: "s", clientID: "c", keyID: nil, receivedAt: now), at: now, in: transaction)
            }
            let kept = try await fixture.database.write {
                try RecordStore().delete(about: "anna", keeping: ["Consent", "Contract"], in: $0).kept
            }
            #expect(kept.count == 1)
            #expect(try await fixture.record("Consent", "study") != nil)
            #expect(try await fixture.count("record") == 1)
        }
    }

    @Test func restorationEndsAllPermissionsAndEarlierRequests() async throws {
        try await PermissionFixture.with { fixture in
            let (wallet, app) = (try await fixture.csi(wallet: "anna"), try await fixture.csi())
            let ids = try await [
                fixture.grant(fixture.terms([app]), by: wallet)[0],
                fixture.grant(fixture.terms([app], from: 10, until: 20), by: wallet)[0],
            ]
            let early = try await fixture.call(.grant(fixture.terms([app])), by: wallet).request
            fixture.clock.advance(60)
            let (store, now) = (fixture.store, fixture.clock.now)
            let ended = try await fixture.database.write {
                try store.recordRestoration(by: "restore", at: now, in: $0)
            }
            #expect(ended == 2)
            for id in ids {
                #expect(try await fixture.permission(id).endedAt == now)
                let consent = try await fixture.resource("Consent", id).as(Consent.self)
                #expect(consent?.status == .inactive)
            }
            #expect(try await fixture.verify().different == [])
            fixture.clock.advance(1)
            let late = try await fixture.call(.grant(fixture.terms([app])), by: wallet).request
            try await fixture.database.read { transaction in
                #expect(throws: PermissionError.self) { try PermissionStore.checkRestoration(early, in: transaction) }
                try PermissionStore.checkRestoration(late, in: transaction)
            }
        }
    }
}
