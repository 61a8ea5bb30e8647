import AccessPolicy
import AccessTestSupport
import Core
import Foundation
import Testing
import Wire

@testable import Permissions

@Suite(.timeLimit(.minutes(10)))
struct CsiKeyTests {
    @Test func aNewKeyReplacesTheOldOne() async throws {
        try await CsiFixture.with { fixture in
            var csi = try await fixture.app()
            let other = try await fixture.app(device: "phone-2")
            let permission = try await fixture.permit(other, csi)
            let new = try P256SigningKey()
            let pending = try fixture.sign(.fetchReceived, as: csi)
            #expect(try await fixture.call(.rotateKey(new.publicKey), as: csi, newKey: new).status == 200)
            #expect(try await fixture.send(pending).error == "bad_signature")
            csi.key = new
            #expect(try await fixture.call(.fetchReceived, as: csi).status == 200)
            #expect(try await fixture.stored(csi)?.key == new.publicKey)
            let row = try await fixture.database.read {
                try $0.first("SELECT ended_at FROM access_permission WHERE id = ?", [.init(permission)])
            }
            #expect(row?["ended_at"] == .null)
            // The proof must be that of the new key.
            let third = try P256SigningKey()
            let request = try fixture.sign(.rotateKey(third.publicKey), as: csi, newKey: third)
            var body = try #require(JSON(reading: request.body))
            body["proof"] = body["signature"]
            #expect(try await fixture.post(.rotateKey, body.data()).error == "bad_signature")
            #expect(try await fixture.stored(csi)?.key == new.publicKey)
        }
    }

    @Test func aCsiEndsItselfWithThePermissionsThatItReceivedAndPassedOn() async throws {
        try await CsiFixture.with { fixture in
            let wallet = try await fixture.wallet(device: "phone-1")
            let (app, friend) = (try await fixture.app(device: "phone-1"), try await fixture.app(device: "phone-2"))
            try await fixture.permit(wallet, app)
            try await fixture.permit(app, friend, parent: "p0")
            let kept = try await fixture.permit(wallet, friend)
            #expect(try await fixture.call(.revoke(app.guid), as: app).status == 200)
            let inForce = try await fixture.database.read {
                try $0.query("SELECT id FROM access_permission WHERE ended_at IS NULL").map { try $0.text("id") }
            }
            #expect(inForce == [kept])
            #expect(try await fixture.clients.client(id: app.guid.text) == nil)
        }
    }

    @Test func aWalletEndsTheCsisOfItsDeviceOnly() async throws {
        try await CsiFixture.with { fixture in
            let wallet = try await fixture.wallet(device: "phone-1")
            let (own, foreign) = (try await fixture.app(device: "phone-1"), try await fixture.app(device: "phone-2"))
            let unknown = try await fixture.guid()
            #expect(try await fixture.call(.revoke(own.guid), as: wallet).status == 200)
            #expect(try await fixture.stored(own)?.endedAt != nil)
            let (first, second) = (
                try await fixture.call(.revoke(foreign.guid), as: wallet),
                try await fixture.call(.revoke(unknown), as: wallet)
            )
            #expect(first.status == 404 && first.error == "no_such_csi" && second.error == "no_such_csi")
            #expect(first.json["message"] == second.json["message"])
            #expect(try await fixture.stored(foreign)?.endedAt == nil)
            // An app ends no other one, also on its own device.
            let app = try await fixture.app(device: "phone-1")
            #expect(try await fixture.call(.revoke(wallet.guid), as: app).status == 404)
        }
    }

    @Test func theSiteListsEndsAndAssignsRoles() async throws {
        try await CsiFixture.with { fixture in
            let store = fixture.calls.csis
            let csi = try await fixture.app()
            #expect(try await store.setRole(.provider, of: csi.guid, by: site))
            #expect(try await fixture.stored(csi)?.role == .provider)
            #expect(try await store.setRole(nil, of: csi.guid, by: site))
            #expect(try await fixture.stored(csi)?.role == nil)
            let unknown = try await fixture.guid()
            #expect(try await !store.setRole(.caregiver, of: unknown, by: site))
            #expect(try await !store.end(unknown, by: site))
            let staff = Actor(id: "s", role: .staff)
            await #expect(throws: AccessError.self) { _ = try await store.setRole(nil, of: csi.guid, by: staff) }
            await #expect(throws: AccessError.self) { _ = try await store.end(csi.guid, by: staff) }
            await #expect(throws: AccessError.self) { _ = try await store.all(by: staff) }
            #expect(try await store.end(csi.guid, by: site))
            #expect(try await fixture.call(.fetchReceived, as: csi).error == "csi_revoked")
            #expect(try await !store.setRole(.provider, of: csi.guid, by: site))
            #expect(try await store.all(by: site).map(\.guid) == [csi.guid])
        }
    }
}
