import AccessPolicy
import AccessTestSupport
import Audit
import Core
import Foundation
import Identity
import Storage
import Testing
import Wire

@testable import Permissions

@Suite(.timeLimit(.minutes(10)))
struct WalletBindingTests {
    private func codes(_ fixture: CsiFixture) -> WalletCodes { WalletCodes(audit: fixture.audit) }

    @Test func aCodeBindsAWalletToAPatientOnce() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let made = try await codes(fixture).create(forPatient: "anna", by: site)
            #expect(made.code.utf8.count == 26)
            #expect(made.expiresAt == fixture.clock.now.addingTimeInterval(7 * 86_400))
            #expect(try await !fixture.database.contents(["wallet_code", "audit"]).contains(made.code))
            let reply = try await fixture.call(.bind(code: made.code), as: csi)
            #expect(reply.status == 200)
            #expect(CsiAnswer(json: reply.json) == CsiAnswer(csi: csi.guid, patient: "Patient/anna"))
            let stored = try #require(try await fixture.stored(csi))
            #expect(stored.isWallet && stored.patient == "anna" && stored.endedAt == nil)
            let other = try await fixture.app(device: "device-2")
            let again = try await fixture.call(.bind(code: made.code), as: other)
            #expect(again.status == 403 && again.error == "not_permitted")
            #expect(try await fixture.stored(csi)?.endedAt == nil)
        }
    }

    @Test func wrongUsedExpiredAndReplacedCodesHaveOneAnswer() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let first = try await codes(fixture).create(forPatient: "anna", by: site).code
            let second = try await codes(fixture).create(forPatient: "anna", by: site).code
            let person = Actor(id: "a1", role: .participant, participant: "bert")
            let short = try await codes(fixture).create(forPatient: "bert", by: person)
            #expect(short.expiresAt == fixture.clock.now.addingTimeInterval(900))
            fixture.clock.advance(900)
            var replies: [CsiReply] = []
            for code in ["wrong", first, short.code] {
                replies.append(try await fixture.call(.bind(code: code), as: csi))
            }
            fixture.clock.advance(7 * 86_400)
            replies.append(try await fixture.call(.bind(code: second), as: csi))
            let messages = Set(replies.map { "\($0.status) \($0.error ?? "") \($0.json["message"]?.string ?? "")" })
            #expect(messages.count == 1 && messages.first?.hasPrefix("403 not_permitted") == true)
            #expect(try await fixture.stored(csi)?.isWallet == false)
        }
    }

    @Test func aNewWalletOfAPatientEndsTheFormerOne() async throws {
        try await CsiFixture.with { fixture in
            let former = try await fixture.wallet(device: "phone-1")
            let (app, friend) = (try await fixture.app(device: "phone-2"), try await fixture.app(device: "phone-3"))
            try await fixture.permit(former, app)
            let passedOn = try await fixture.permit(former, friend, parent: "p0")
            let wallet = try await fixture.wallet(device: "phone-4")
            #expect(try await fixture.stored(former)?.endedAt != nil)
            #expect(try await fixture.clients.client(id: former.guid.text) == nil)
            #expect(try await fixture.call(.fetchGiven, as: former).error == "csi_revoked")
            #expect(try await fixture.call(.fetchGiven, as: wallet).status == 200)
            // The permissions that the Patient gave remain; those that the wallet passed on end.
            let ended = try await fixture.database.read {
                try $0.query("SELECT id FROM access_permission WHERE ended_at IS NOT NULL").map { try $0.text("id") }
            }
            #expect(ended == [passedOn])
            // On the same device too.
            let next = try await fixture.wallet(device: "phone-4")
            #expect(try await fixture.stored(wallet)?.endedAt != nil)
            #expect(try await fixture.stored(next)?.endedAt == nil)
        }
    }

    @Test func aDeviceHasOneWallet() async throws {
        try await CsiFixture.with { fixture in
            let anna = try await fixture.wallet(of: "anna", device: "phone-1")
            let code = try await codes(fixture).create(forPatient: "bert", by: site).code
            let second = try await fixture.app(device: "phone-1")
            for csi in [second, anna] {
                let reply = try await fixture.call(.bind(code: code), as: csi)
                #expect(reply.status == 409 && reply.error == "key_mismatch")
            }
            // The code is still valid, for another device.
            let bert = try await fixture.app(device: "phone-2")
            #expect(try await fixture.call(.bind(code: code), as: bert).status == 200)
            #expect(try await fixture.stored(anna)?.patient == "anna")
            // A wallet that has ended leaves its device free.
            #expect(try await fixture.call(.revoke(anna.guid), as: anna).status == 200)
            let next = try await codes(fixture).create(forPatient: "carl", by: site).code
            #expect(try await fixture.call(.bind(code: next), as: second).status == 200)
        }
    }

    @Test func aWalletThatWasEndedByItsClientLeavesItsDeviceAndItsPatientFree() async throws {
        try await CsiFixture.with { fixture in
            let former = try await fixture.wallet(of: "anna", device: "phone-1")
            #expect(try await fixture.clients.revokeClient(id: former.guid.text, by: site))
            #expect(try await fixture.call(.fetchGiven, as: former).error == "csi_revoked")
            let bert = try await fixture.wallet(of: "bert", device: "phone-1")
            let anna = try await fixture.wallet(of: "anna", device: "phone-2")
            #expect(try await fixture.stored(bert)?.endedAt == nil)
            #expect(try await fixture.stored(anna)?.endedAt == nil)
        }
    }

    @Test func aWalletIsBoundAgainToItsOwnPatient() async throws {
        try await CsiFixture.with { fixture in
            let wallet = try await fixture.wallet()
            let code = try await codes(fixture).create(forPatient: "anna", by: site).code
            #expect(try await fixture.call(.bind(code: code), as: wallet).status == 200)
            #expect(try await fixture.stored(wallet)?.endedAt == nil)
        }
    }

    @Test func deletedParticipantsGetNoCodeAndNoWallet() async throws {
        try await CsiFixture.with { fixture in
            let code = try await codes(fixture).create(forPatient: "anna", by: site).code
            let key = Data(count: 32)
            let now = fixture.clock.now
            try await fixture.database.write { transaction in
                try DeletionRegister().claim(key: key, in: transaction)
                try DeletionRegister().record(
                    digest: DeletionRegister.digest(of: "anna", key: key), deletedAt: now, work: nil,
                    completedAt: now, in: transaction)
            }
            let csi = try await fixture.app()
            #expect(try await fixture.call(.bind(code: code), as: csi).error == "not_permitted")
            let refused = await #expect(throws: AccessError.self) {
                _ = try await codes(fixture).create(forPatient: "anna", by: site)
            }
            #expect(refused?.code == "participant-deleted")
        }
    }

    @Test func codesAreCreatedByTheSiteAndByThePersonOnly() async throws {
        try await CsiFixture.with { fixture in
            let others = [
                Actor(id: "a1", role: .participant, participant: "bert"), Actor(id: "s1", role: .staff),
                Actor(id: "d1", role: .device, participant: "anna"), Actor(id: "c1", role: .service),
            ]
            for actor in others {
                await #expect(throws: AccessError.self) {
                    _ = try await codes(fixture).create(forPatient: "anna", by: actor)
                }
            }
        }
    }
}
