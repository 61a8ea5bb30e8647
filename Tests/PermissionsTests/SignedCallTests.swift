import AccessTestSupport
import Core
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import ServerHTTP
import Storage
import StorageTestSupport
import Testing
import Wire

@testable import Permissions

@Suite(.timeLimit(.minutes(10)))
struct SignedCallTests {
    @Test func theServerReportsItsVersionAndItsTime() async throws {
        try await CsiFixture.with { fixture in
            let ping = try await fixture.ask(.get, "/util/ping")
            #expect(ping.json == ["status": "ok", "name": "Tributary", "version": "1.2.3"])
            let time = try await fixture.ask(.get, "/util/getTime")
            #expect(ServerTimeAnswer(json: time.json)?.time == CsiInstant(fixture.clock.now))
            #expect(time.headers[.cacheControl] == "no-store")
        }
    }

    @Test func signedCallsAreByPOSTOnly() async throws {
        try await CsiFixture.with { fixture in
            for path in CsiPath.allCases {
                let reply = try await fixture.ask(.get, path.rawValue)
                #expect(reply.status == 405 && reply.error == "method_not_allowed")
                #expect(reply.headers[.allow] == "POST")
                #expect(reply.json["requestId"]?.string?.count == 32 && reply.json["status"]?.string == "error")
            }
        }
    }

    @Test func anotherMediaTypeQueryOrSizeIsRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let body = try fixture.sign(.fetchReceived, as: csi).body
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", nil] {
                var headers: HTTPFields = [:]
                headers[.contentType] = type
                let reply = try await fixture.ask(
                    .post, CsiPath.fetchGivenToMe.rawValue, headers: headers, body: body)
                #expect(reply.status == 415 && reply.error == "unsupported_media_type")
            }
            for query in ["?all=yes", "?all=true&all=true", "?x=1", "?all=%FF"] {
                let reply = try await fixture.post(.fetchGivenToMe, body, query: query)
                #expect(reply.status == 400 && reply.error == "malformed", "\(query)")
            }
            let claims = try fixture.sign(.fetchClaims(of: csi.guid), as: csi).body
            #expect(try await fixture.post(.fetchPublicClaims, claims, query: "?all=true").status == 400)
            let long = body + Data(repeating: 0x20, count: 70_000)
            let reply = try await fixture.post(.fetchGivenToMe, long)
            #expect(reply.status == 413 && reply.error == "too_large")
            // None of them used the nonce.
            let all = try await fixture.post(.fetchGivenToMe, body, query: "?all=true")
            #expect(all.status == 200 && all.json["all"] == true)
        }
    }

    // MARK: - Replays

    @Test func a01A02AReplayIsRefusedAtEveryPath() async throws {
        try await CsiFixture.with(rules: .init(acceptsVersion1: true)) { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi)
            #expect(try await fixture.send(request).status == 200)
            let replayed = try await fixture.send(request)
            #expect(replayed.status == 401 && replayed.error == "nonce_reused")
            // Version 1 signs the same text for these two calls.
            let claims = try fixture.sign(.fetchClaims(of: csi.guid), as: csi, version: .v1)
            #expect(try await fixture.send(claims).status == 200)
            var body = try #require(JSON(reading: claims.body))
            body["permissionedGuidBeingDeleted"] = body["desiredCsiGuid"]
            body["desiredCsiGuid"] = Optional<JSON>.none
            let moved = try await fixture.post(.deletePermission, body.data())
            #expect(moved.status == 401 && moved.error == "nonce_reused")
            // Version 2 signs the path.
            let signed = try fixture.sign(.fetchReceived, as: csi)
            let other = try await fixture.post(.fetchGivenByMe, signed.body)
            #expect(other.status == 401 && other.error == "bad_signature")
            #expect(
                try await fixture.auditRows() == [
                    "register-csi allowed permitted", "list-permissions allowed permitted",
                    "list-permissions denied nonce_reused", "read-claims allowed permitted",
                    "end-permission denied nonce_reused",
                ])
        }
    }

    @Test func a03NoncesBelongToACsi() async throws {
        try await CsiFixture.with { fixture in
            let (first, second) = (try await fixture.app(), try await fixture.app(device: "device-2"))
            let nonce = "0123456789abcdef"
            let request = try fixture.sign(.fetchReceived, as: first, nonce: nonce)
            #expect(try await fixture.send(request).status == 200)
            #expect(try await fixture.send(fixture.sign(.fetchReceived, as: second, nonce: nonce)).status == 200)
            #expect(try await fixture.send(fixture.sign(.fetchGiven, as: first, nonce: nonce)).error == "nonce_reused")
        }
    }

    @Test func a04ATimeOutsideOfTheWindowIsRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            for offset in [-301.0, 301, 7_000 * 365 * 86_400.0] {
                let reply = try await fixture.send(fixture.sign(.fetchReceived, as: csi, offset: offset))
                #expect(reply.status == 401 && reply.error == "stale_request", "\(offset)")
            }
            for offset in [-300.0, 300] {
                #expect(try await fixture.send(fixture.sign(.fetchReceived, as: csi, offset: offset)).status == 200)
            }
            let request = try fixture.sign(.fetchReceived, as: csi)
            for time in ["2026-01-01T00:00:00.000", "2026-01-01T00:00:60.000Z", "2026-01-01T00:00:00Z", ""] {
                var body = try #require(JSON(reading: request.body))
                body["dateTime"] = .string(time)
                let reply = try await fixture.post(.fetchGivenToMe, body.data())
                #expect(reply.status == 400 && reply.error == "bad_field", "\(time)")
            }
        }
    }

    @Test func a05ANonceIsStoredLongerThanItsRequestIsValid() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi, offset: 300)
            #expect(try await fixture.send(request).status == 200)
            for _ in 0..<6 {
                fixture.clock.advance(100)
                // Other calls remove expired nonces.
                #expect(try await fixture.call(.fetchGiven, as: csi).status == 200)
                #expect(try await fixture.send(request).error == "nonce_reused")
            }
            fixture.clock.advance(1)
            #expect(try await fixture.send(request).error == "stale_request")
        }
    }

    @Test func a06OneOfManyEqualRequestsSucceeds() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi)
            let statuses = try await fixture.application.test(.router) { client in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 {
                        group.addTask {
                            try await client.execute(
                                uri: CsiPath.fetchGivenToMe.rawValue, method: .post,
                                headers: [.contentType: "application/json"], body: ByteBuffer(bytes: request.body)
                            ) { Int($0.status.code) }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 401 } == 99)
        }
    }

    @Test func a07ARestartForgetsNoNonce() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi)
            #expect(try await fixture.send(request).status == 200)
            let restarted = try await fixture.another()
            #expect(try await restarted.send(request).error == "nonce_reused")
        }
    }

    @Test func a08TheOtherFormOfASignatureIsAReplay() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi)
            let der = try #require(Data(base64Encoded: request.signature))
            let raw = try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation
            let twin = try P256.Signing.ECDSASignature(
                rawRepresentation: raw.prefix(32) + Self.negated(Array(raw.suffix(32))))
            var body = try #require(JSON(reading: request.body))
            body["signature"] = .string(twin.derRepresentation.base64EncodedString())
            let changed = body.data()
            #expect(changed != request.body)
            #expect(try await fixture.send(request).status == 200)
            #expect(try await fixture.post(.fetchGivenToMe, changed).error == "nonce_reused")
        }
    }

    /// Returns n - s for the order n of the curve.
    private static func negated(_ number: [UInt8]) -> Data {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var result = [UInt8](repeating: 0, count: 32)
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(number[index]) - borrow
            borrow = difference < 0 ? 1 : 0
            result[index] = UInt8(difference & 0xFF)
        }
        return Data(result)
    }

    // MARK: - Fields

    @Test func a10EveryChangedFieldBreaksTheSignature() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let request = try fixture.sign(CsiFixture.registration(csi), as: csi)
            let changes: [(String, JSON)] = [
                ("applicationClass", "Other"), ("deviceId", "device-9"), ("csiGuid", .string(UUID().uuidString)),
                ("nonce", "0123456789abcdef"), ("dateTime", .string(CsiInstant(fixture.clock.now + 1).text)),
                ("publicKey", .string(try P256SigningKey().publicKey.base64Info)),
                ("publicClaims", PublicClaims(gender: "f").json),
            ]
            for (name, value) in changes {
                var body = try #require(JSON(reading: request.body))
                body[name] = value
                let reply = try await fixture.post(.requestRegistration, body.data())
                #expect(reply.status == 401 && reply.error == "bad_signature", "\(name)")
            }
            #expect(try await fixture.auditRows().isEmpty)
            #expect(try await fixture.send(request).status == 200)
        }
    }

    @Test func a11TextsThatAreNotPlainAreRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let request = try fixture.sign(CsiFixture.registration(csi), as: csi)
            for text in ["a|b", "a\nb", "a\0b", "a\u{202E}b", "Zoe\u{308}", "a\"b", ""] {
                for name in ["deviceId", "applicationClass", "csiGuid"] {
                    var body = try #require(JSON(reading: request.body))
                    body[name] = .string(text)
                    let reply = try await fixture.post(.requestRegistration, body.data())
                    #expect(reply.status == 400 && reply.error == "bad_field", "\(name) \(text)")
                }
            }
            let text = String(decoding: request.body, as: UTF8.self)
                .replacingOccurrences(of: "\"device-1\"", with: "\"\\ud800\"")
            let reply = try await fixture.post(.requestRegistration, Data(text.utf8))
            #expect(reply.status == 400)
        }
    }

    @Test func a13BodiesWithDuplicateUnknownOrWrongFieldsAreRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let request = try fixture.sign(.fetchReceived, as: csi)
            let text = String(decoding: request.body, as: UTF8.self)
            let bodies = [
                "{\"csiGuid\":\"\(csi.guid)\"," + text.dropFirst(), "{\"x\":\"y\"," + text.dropFirst(),
                "{\"x\":null," + text.dropFirst(), "", "[]", "null", "{", "\"x\"", text + text,
                text.replacingOccurrences(of: "\"2\"", with: "2"),
                text.replacingOccurrences(of: "\"\(request.nonce)\"", with: "[]"),
                String(repeating: "[", count: 60_000),
            ]
            for body in bodies {
                let reply = try await fixture.post(.fetchGivenToMe, Data(body.utf8))
                #expect(reply.status == 400 && reply.error != nil, "\(body.prefix(80))")
            }
            #expect(try await fixture.send(request).status == 200)
        }
    }

    @Test func anotherCipherIsRefused() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            var body = try #require(JSON(reading: try fixture.sign(.fetchReceived, as: csi).body))
            body["cipher"] = "rsa"
            let reply = try await fixture.post(.fetchGivenToMe, body.data())
            #expect(reply.status == 400 && reply.error == "bad_cipher")
        }
    }

    // MARK: - Callers

    @Test func unknownAndEndedCsisAndForeignKeysAreRefused() async throws {
        try await CsiFixture.with { fixture in
            let stranger = try await fixture.newCsi()
            let unknown = try await fixture.call(.fetchReceived, as: stranger)
            #expect(unknown.status == 401 && unknown.error == "unknown_csi")
            var csi = try await fixture.app()
            let own = csi.key
            csi.key = try P256SigningKey()
            #expect(try await fixture.call(.fetchReceived, as: csi).error == "bad_signature")
            csi.key = own
            #expect(try await fixture.call(.revoke(csi.guid), as: csi).status == 200)
            let ended = try await fixture.call(.fetchReceived, as: csi)
            #expect(ended.status == 410 && ended.error == "csi_revoked")
        }
    }

    @Test func refusedSignaturesAreChargedToTheAddress() async throws {
        var rates = RateLimits()
        rates[.unauthenticatedByAddress] = try Rate(perSecond: 0.001, burst: 3)
        try await CsiFixture.with(rates: rates) { fixture in
            var csi = try await fixture.app()
            let own = csi.key
            csi.key = try P256SigningKey()
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await fixture.call(.fetchReceived, as: csi).status) }
            #expect(statuses == [401, 401, 401, 429, 429])
            csi.key = own
            #expect(try await fixture.call(.fetchReceived, as: csi).status == 200)
        }
    }

    @Test func callsInTheNameOfACsiAreLimitedByAddress() async throws {
        var rates = RateLimits()
        rates[.tokenByClient] = try Rate(perSecond: 0.001, burst: 2)
        try await CsiFixture.with(rates: rates) { fixture in
            var csi = try await fixture.app()
            let own = csi.key
            csi.key = try P256SigningKey()
            let forged = try fixture.sign(.fetchReceived, as: csi)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await fixture.send(forged, from: "192.0.2.7").status) }
            #expect(statuses == [401, 401, 429, 429])
            csi.key = own
            #expect(try await fixture.call(.fetchReceived, as: csi).status == 200)
        }
    }

    @Test func version1NeedsTheStudyAndAConfidentialConnection() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            let reply = try await fixture.call(.fetchReceived, as: csi, version: .v1)
            #expect(reply.status == 403 && reply.error == "legacy_off")
        }
        try await CsiFixture.with(rules: .init(acceptsVersion1: true)) { fixture in
            let csi = try await fixture.newCsi()
            let registered = try await fixture.call(CsiFixture.registration(csi), as: csi, version: .v1)
            #expect(registered.status == 200)
            let request = try fixture.sign(.fetchReceived, as: csi, version: .v1)
            let far = try await fixture.send(request, from: "192.0.2.7")
            #expect(far.status == 403 && far.error == "legacy_off")
            #expect(try await fixture.send(request, from: "127.0.0.1").status == 200)
            #expect(try await fixture.send(fixture.sign(.fetchReceived, as: csi), from: "192.0.2.7").status == 200)
        }
    }

    @Test func aRefusedEffectIsUndoneAndItsNonceIsUsed() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app(device: TestPermissions.refusedDevice)
            let request = try fixture.sign(.fetchGiven, as: csi)
            let reply = try await fixture.send(request)
            #expect(reply.status == 403 && reply.error == "self_grant")
            #expect(try await fixture.stored(csi)?.role == nil)
            #expect(try await fixture.send(request).error == "nonce_reused")
            #expect(
                try await fixture.auditRows() == [
                    "register-csi allowed permitted", "list-permissions denied self_grant",
                    "list-permissions denied nonce_reused",
                ])
        }
    }

    /// A store that fails at any of the steps keeps nothing of the call.
    @Test(arguments: ["csi_nonce", "csi", "audit"])
    func aCallThatTheStoreCannotKeepHasNoEffect(table: String) async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.newCsi()
            let request = try fixture.sign(CsiFixture.registration(csi), as: csi)
            try await fixture.database.write { _ = try $0.execute("ALTER TABLE \(table) RENAME TO gone") }
            let reply = try await fixture.send(request)
            #expect(reply.status == 503 && reply.error == "unavailable" && reply.headers[.retryAfter] != nil)
            try await fixture.database.write { _ = try $0.execute("ALTER TABLE gone RENAME TO \(table)") }
            let kept = try await fixture.database.contents(["registered_client", "csi", "csi_nonce", "audit"])
            #expect(kept.isEmpty)
            #expect(try await fixture.send(request).status == 200)
        }
    }

    @Test func expiredNoncesAreRemovedAndFoundByAnIndex() async throws {
        try await CsiFixture.with { fixture in
            let csi = try await fixture.app()
            for _ in 0..<25 { _ = try await fixture.call(.fetchGiven, as: csi) }
            fixture.clock.advance(700)
            for _ in 0..<2 { _ = try await fixture.call(.fetchGiven, as: csi) }
            let left = try await fixture.database.read { try $0.query("SELECT nonce FROM csi_nonce").count }
            #expect(left == 2)
            try await fixture.database.write { transaction in
                let plans: [(String, [SQLValue])] = [
                    (CsiNonces.removeSQL, ["2026", 20]), (CsiInstance.sql, ["x"]),
                    (CsiInstance.walletOfPatientSQL, ["x"]), (CsiInstance.walletOfDeviceSQL, ["x"]),
                    (CsiCalls.receivedSQL, ["x", "2026", "2026", "y", "z"]),
                    (CsiCalls.givenSQL, ["x", "2026", "2026", "y"]),
                    (CsiCalls.givenByPatientSQL, ["x", "2026", "2026", "y"]),
                ]
                for (sql, parameters) in plans {
                    let plan = try QueryPlan(sql, parameters, in: transaction)
                    #expect(!plan.readsAll, "\(sql) \(plan)")
                }
            }
        }
    }
}
