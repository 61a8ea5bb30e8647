import AccessTestSupport
import Core
import Crypto
import Foundation
import HTTPTypes
import ServerHTTP
import Testing
import Wire

@testable import Permissions

@Suite(.timeLimit(.minutes(10)))
struct RegistrationTests {
    @Test func aCsiIsRegisteredWithItsOwnKeyAndIsAClient() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let reply = try await fixture.call(CsiFixture.registration(csi), as: csi)
            #expect(reply.status == 200 && CsiAnswer(json: reply.json)?.csi == csi.guid)
            let stored = try #require(try await fixture.stored(csi))
            #expect(stored.key == csi.key.publicKey && stored.name == "Steps" && stored.deviceID == "device-1")
            #expect(stored.endedAt == nil && !stored.isWallet && stored.claims.isEmpty)
            let client = try #require(try await fixture.clients.client(id: csi.guid.text))
            #expect(client.proof.name == "jwks" && client.scopes.unrecognized.isEmpty)
            let received = try await fixture.call(.fetchReceived, as: csi)
            #expect(received.status == 200)
            let rows = try await fixture.auditRows()
            #expect(rows == ["register-csi allowed permitted", "list-permissions allowed permitted"])
        }
    }

    @Test func a14AKnownGuidKeepsItsKey() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            var thief = csi
            thief.key = try P256SigningKey()
            let nonce = UUID().uuidString
            let taken = try await fixture.send(
                try fixture.sign(CsiFixture.registration(thief), as: thief, nonce: nonce))
            #expect(taken.status == 409 && taken.error == "csi_exists")
            #expect(try await fixture.stored(csi)?.key == csi.key.publicKey)
            // The thief did not use up the nonce of the csi.
            let own = try await fixture.send(try fixture.sign(.fetchReceived, as: csi, nonce: nonce))
            #expect(own.status == 200)
            let again = try await fixture.call(CsiFixture.registration(csi), as: csi)
            #expect(again.status == 409 && again.error == "csi_exists")
        }
    }

    @Test func a15AGuidIsIssuedByTheServerAndValidForFifteenMinutes() async throws {
        try await CsiFixture.with { fixture in
            for text in [UUID().uuidString, UUID().uuidString.lowercased(), String(repeating: "a", count: 36)] {
                let csi = TestCsi(
                    guid: try #require(CsiGuid(text)), key: try P256SigningKey(), device: "device-1")
                let reply = try await fixture.call(CsiFixture.registration(csi), as: csi)
                #expect(reply.status == 400 && reply.error == "bad_field")
            }
            let late = try await fixture.newCsi()
            let inTime = try await fixture.newCsi()
            fixture.clock.advance(900)
            #expect(try await fixture.call(CsiFixture.registration(inTime), as: inTime).status == 200)
            fixture.clock.advance(1)
            let reply = try await fixture.call(CsiFixture.registration(late), as: late)
            #expect(reply.status == 400 && reply.error == "bad_field")
            // A registered guid remains known.
            #expect(try await fixture.call(CsiFixture.registration(inTime), as: inTime).status == 409)
        }
    }

    @Test func aGuidOfAnotherKeyOrWithAChangedBitIsNotRecognised() throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let guids = CsiGuids(key: Data(repeating: 7, count: 32))
        let other = CsiGuids(key: Data(repeating: 8, count: 32))
        var seen: Set<CsiGuid> = []
        for seed in 0..<200 {
            let guid = try #require(
                guids.issue(now: now) { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) } })
            #expect(seen.insert(guid).inserted && UUID(uuidString: guid.text) != nil)
            #expect(guids.recognizes(guid, now: now) && guids.recognizes(guid, now: now.addingTimeInterval(900)))
            #expect(!guids.recognizes(guid, now: now.addingTimeInterval(901)))
            #expect(!guids.recognizes(guid, now: now.addingTimeInterval(-301)))
            #expect(!other.recognizes(guid, now: now))
            let digits = Array(guid.text)
            let index = [0, 7, 9, 14, 16, 19, 21, 24, 30, 35][seed % 10]
            var changed = digits
            changed[index] = digits[index] == "0" ? "1" : "0"
            #expect(!guids.recognizes(try #require(CsiGuid(String(changed))), now: now))
        }
    }

    @Test func twoProcessesOnOneStoreShareGuids() async throws {
        try await CsiFixture.with { fixture in
            let second = try await fixture.another()
            let csi = try await fixture.newCsi()
            #expect(try await second.call(CsiFixture.registration(csi), as: csi).status == 200)
            #expect(try await fixture.call(.fetchReceived, as: csi).status == 200)
        }
    }

    @Test func theFirstProcessCreatesTheKeyOfTheGuids() async throws {
        try await CsiFixture.with { fixture in
            let key = try await fixture.database.contents(["csi_guid_key"])
            try await fixture.database.write { try CsiGuids.createKey(in: $0) { [UInt8](repeating: 1, count: $0) } }
            try await CsiStore.prepare(fixture.audit)
            #expect(try await fixture.database.contents(["csi_guid_key"]) == key)
        }
    }

    @Test func aGuidIsRequestedWithoutAWrite() async throws {
        try await CsiFixture.with { fixture in
            let before = try await fixture.database.contents(["csi", "csi_guid_key", "csi_nonce", "audit"])
            let first = try await fixture.guid()
            let second = try await fixture.guid()
            #expect(first != second)
            let after = try await fixture.database.contents(["csi", "csi_guid_key", "csi_nonce", "audit"])
            #expect(before == after)
        }
    }

    @Test func a16KeysOfOtherKindsAreRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let request = try fixture.sign(CsiFixture.registration(csi), as: csi)
            let info = csi.key.publicKey.subjectPublicKeyInfo
            var offCurve = info
            offCurve[90] ^= 1
            var secp256k1 = Data(info.prefix(26))
            secp256k1.replaceSubrange(13..<23, with: [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A, 0x03, 0x42, 0x00])
            let compressed = P256.Signing.PrivateKey().publicKey.compressedRepresentation
            let keys: [(String, Data)] = [
                ("P-384", P384.Signing.PrivateKey().publicKey.derRepresentation), ("off the curve", offCurve),
                ("compressed", Data(info.prefix(26)) + compressed), ("infinity", Data(info.prefix(26)) + [0]),
                ("zeros", Data(info.prefix(26)) + [4] + Data(count: 64)), ("a point only", csi.key.publicKey.x963),
                ("secp256k1", secp256k1 + csi.key.publicKey.x963), ("trailing", info + [0]), ("empty", Data()),
                ("long", Data(count: 40_000)),
            ]
            for (name, key) in keys {
                var body = try #require(JSON(reading: request.body))
                body["publicKey"] = .string(key.base64EncodedString())
                let reply = try await fixture.post(.requestRegistration, body.data())
                #expect(reply.status == 400 && reply.error == "bad_field", "\(name)")
            }
            var large = try #require(JSON(reading: request.body))
            large["publicKey"] = .string(Data(count: 100_000).base64EncodedString())
            let reply = try await fixture.post(.requestRegistration, large.data())
            #expect(reply.status == 413 && reply.error == "too_large")
            #expect(try await fixture.stored(csi) == nil)
        }
    }

    @Test func a17ManyRegistrationsOfOneAddressAreLimited() async throws {
        var rates = RateLimits()
        rates[.csiRegistrationByAddress] = try Rate(perSecond: 0.001, burst: 3)
        try await CsiFixture.with(rates: rates) { fixture in
            var replies: [CsiReply] = []
            for _ in 0..<5 {
                let csi = try await fixture.newCsi()
                replies.append(try await fixture.call(CsiFixture.registration(csi), as: csi))
            }
            #expect(replies.map(\.status) == [200, 200, 200, 429, 429])
            #expect(replies[4].error == "too_many_requests" && replies[4].headers[.retryAfter] != nil)
            // Another address has its own rate.
            let csi = try await fixture.newCsi()
            let request = try fixture.sign(CsiFixture.registration(csi), as: csi)
            #expect(try await fixture.send(request, from: "192.0.2.7").status == 200)
            #expect(RateLimits()[.csiRegistrationByAddress] == (try Rate(perSecond: 1, burst: 60)))
        }
    }

    @Test func claimsWithValuesNeedAStudyOfIdentifiedRecords() async throws {
        let claims = PublicClaims(dateOfBirth: "1980-01-01", firstName: "Anna", lastName: "Miller", gender: "f")
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let refused = try await fixture.call(CsiFixture.registration(csi, claims: claims), as: csi)
            #expect(refused.status == 422 && refused.error == "identifying_data")
            #expect(try await fixture.stored(csi) == nil)
            #expect(try await fixture.auditRows() == ["register-csi denied identifying_data"])
            // The guid is still valid.
            #expect(try await fixture.call(CsiFixture.registration(csi), as: csi).status == 200)
        }
        try await CsiFixture.with(rules: .init(acceptsClaims: true)) { fixture in
            let csi = try await fixture.app(claims: claims)
            #expect(try await fixture.stored(csi)?.claims == claims)
        }
    }
}
