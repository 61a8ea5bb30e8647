import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// Attacks on signed requests, by their numbers in the attack suite.
@Suite struct SignedCsiAttackTests {
    let key: P256SigningKey
    let new: P256SigningKey

    init() throws {
        key = try P256SigningKey()
        new = try P256SigningKey()
    }

    private func code(_ body: JSON, _ path: CsiPath, now: Date? = nil) -> String? { code(body.data(), path, now: now) }

    /// The code of a request after all checks of this module, in the order of the server; nil if it is accepted.
    private func code(_ body: Data, _ path: CsiPath, now: Date? = nil) -> String? {
        permissionCode {
            let request = try SignedCsiRequest(reading: body, path: path)
            try request.checkCipher()
            try request.checkTime(now: now ?? CsiExamples.time.date)
            try request.verify(with: request.registrationKey ?? key.publicKey)
        }
    }

    // MARK: A04

    @Test(
        arguments: [
            ("2018-03-06T12:05:00.000Z", nil), ("2018-03-06T11:55:00.000Z", nil),
            ("2018-03-06T12:05:01.000Z", "stale_request"), ("2018-03-06T11:54:59.000Z", "stale_request"),
            ("9999-12-31T23:59:59.000Z", "stale_request"), ("2018-03-06T12:00:00.000", "bad_field"),
            ("2018-03-06T12:00:00.000+00:00", "bad_field"), ("2018-03-06T12:00:00Z", "bad_field"),
            ("2018-03-06T11:59:60.000Z", "bad_field"), ("2018-03-06T24:00:00.000Z", "bad_field"),
            ("2018-02-30T12:00:00.000Z", "bad_field"), ("2018-03-06t12:00:00.000z", "bad_field"),
            ("2018-03-06T12:00:00.0000Z", "bad_field"), ("٢٠١٨-03-06T12:00:00.000Z", "bad_field"), ("", "bad_field"),
        ] as [(String, String?)])
    func timesOutsideOfTheWindowAreRefused(time: String, expected: String?) throws {
        var body = CsiExamples.json(try CsiExamples.signed(.fetchGiven, .v2, key: key))
        guard let instant = CsiInstant(time) else {
            body["dateTime"] = .string(time)
            #expect(code(body, .fetchGivenByMe) == expected)
            return
        }
        let request = try SignedCsiRequest(
            signing: .fetchGiven, csi: CsiExamples.wallet, time: instant, nonce: CsiExamples.nonce, key: key)
        #expect(code(request.body, .fetchGivenByMe) == expected)
    }

    // MARK: A09

    @Test func onlyStrictDERIsAccepted() throws {
        let request = try CsiExamples.signed(.fetchGiven, .v2, key: key)
        let der = [UInt8](try #require(Data(base64Encoded: request.signature)))
        let raw = try #require(CsiSignature.rawSignature(der: Data(der)))
        func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if bytes.first ?? 0x80 >= 0x80 { bytes.insert(0, at: 0) }
            return [2, UInt8(bytes.count)] + bytes
        }
        func sequence(_ body: [UInt8]) -> [UInt8] { [0x30, UInt8(body.count)] + body }
        let (r, s) = (integer(raw.prefix(32)), integer(raw.suffix(32)))
        try #require(sequence(r + s) == der)
        let order: [UInt8] = Array(
            Data(hex: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"))
        let longR = [2, UInt8(r.count - 1), 0] + r.dropFirst(2)
        let wrong: [String: [UInt8]] = [
            "trailing byte": der + [0], "trailing byte inside": sequence(r + s + [0]),
            "third number": sequence(r + s + [2, 1, 1]), "one number": sequence(r),
            "long form of a length": [0x30, 0x81] + der.dropFirst(),
            "indefinite length": [0x30, 0x80] + r + s + [0, 0],
            "number that is not minimal": sequence(longR + s), "negative r": sequence([2, 1, 0x80] + s),
            "r is 0": sequence([2, 1, 0] + s), "s is 0": sequence(r + [2, 1, 0]), "empty number": sequence([2, 0] + s),
            "r is n": sequence(integer(order) + s), "s is n": sequence(r + integer(order)),
            "r of 33 bytes": sequence([2, 33, 1] + raw.prefix(32) + s), "raw": [UInt8](raw), "empty": [],
            "set": [0x31] + der.dropFirst(), "zeros": [UInt8](repeating: 0, count: 64),
            "truncated": Array(der.dropLast()), "octets": sequence([4] + r.dropFirst() + s),
        ]
        var body = CsiExamples.json(request)
        for (name, bytes) in wrong {
            body["signature"] = .string(Data(bytes).base64EncodedString())
            #expect(code(body, .fetchGivenByMe) == "bad_signature", "\(name)")
        }
        // Other spellings of the same bytes.
        let text = request.signature
        for spelling in [
            "\n" + text, text + "\n", text + "=", text.replacing("=", with: ""), " " + text, text + "AAAA",
            Data(base64Encoded: text)?.base64URL ?? "", "é",
        ] where spelling != text {
            body["signature"] = .string(spelling)
            #expect(code(body, .fetchGivenByMe) == "bad_signature")
        }
        body["signature"] = .string(String(repeating: "A", count: 60_000))
        #expect(code(body, .fetchGivenByMe) == "bad_signature")
        body["signature"] = .string(String(repeating: "A", count: 1 << 20))
        #expect(code(body, .fetchGivenByMe) == "malformed")
    }

    /// A08: the twin of a signature is valid, so a nonce and not the signature finds a second use.
    @Test func highSIsAccepted() throws {
        let request = try CsiExamples.signed(.fetchGiven, .v2, key: key)
        let der = try #require(Data(base64Encoded: request.signature))
        let raw = try #require(CsiSignature.rawSignature(der: der))
        var twin: [UInt8] = []
        var borrow = 0
        let order = Data(hex: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        for (n, s) in zip(order.reversed(), raw.suffix(32).reversed()) {
            let difference = Int(n) - Int(s) - borrow
            borrow = difference < 0 ? 1 : 0
            twin.insert(UInt8(difference + borrow * 256), at: 0)
        }
        struct Twin: DeviceSigning {
            let publicKey: P256PublicKey
            let raw: Data
            func signature(of bytes: Data) -> Data { raw }
        }
        let other = Twin(publicKey: key.publicKey, raw: raw.prefix(32) + Data(twin))
        let again = try SignedCsiRequest(
            signing: .fetchGiven, csi: CsiExamples.wallet, time: CsiExamples.time, nonce: CsiExamples.nonce, key: other)
        #expect(again.signature != request.signature)
        try again.verify(with: key.publicKey)
    }

    /// Project Wycheproof's vectors for signatures in DER.
    @Test(.enabled(if: SignatureVectors.folder != nil, "needs the checkout of swift-crypto"))
    func onlyValidVectorsVerify() throws {
        var tried = 0
        for group in try #require(
            SignatureVectors.read("Test Vectors/ecdsa_secp256r1_sha256_test.json")["testGroups"]?.array)
        {
            let info = try #require(group["publicKeyDer"]?.string.flatMap(Hexadecimal.bytes))
            let key = try P256PublicKey(base64Info: Data(info).base64EncodedString())
            for test in try #require(group["tests"]?.array) {
                let message = Data(try #require(test["msg"]?.string.flatMap(Hexadecimal.bytes)))
                let signature = Data(try #require(test["sig"]?.string.flatMap(Hexadecimal.bytes)))
                let holds = key.verifies(base64Signature: signature.base64EncodedString(), of: message)
                #expect(
                    holds == (test["result"]?.string == "valid"),
                    "\(test["tcId"]?.integer ?? 0) \(test["comment"]?.string ?? "")")
                tried += 1
            }
        }
        #expect(tried == 471)
    }

    // MARK: A10

    /// A text or list at a path in a body, replaced by a valid one.
    private static func changes(_ value: JSON, at path: String = "") -> [(path: String, body: JSON)] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                changes(member.value, at: path + "." + member.key).map { change in
                    var body = value
                    body[member.key] = change.body
                    return (change.path, body)
                }
            }
        case .array(let elements):
            elements.indices.flatMap { index in
                changes(elements[index], at: path).map { change in
                    var list = elements
                    list[index] = change.body
                    return (change.path, .array(list))
                }
            } + (path.hasSuffix("publicClaims") ? [] : [(path, .array(Array(elements.dropLast())))])
        case .string(let text): other(text, at: path).map { [(path, .string($0))] } ?? []
        default: []
        }
    }

    /// Another valid text for a field; nil for signatures.
    private static func other(_ text: String, at path: String) -> String? {
        let name = path.split(separator: ".").last.map(String.init) ?? ""
        switch name {
        case "signature", "proof": return nil
        case "publicKey": return otherKey
        case "accessType": return text == "read" ? "write" : "read"
        case "confidentialityScope": return "N"
        case "resourceScope": return "Observation"
        case "sensitivityScope": return "HIV"
        default:
            if CsiGuid(text) != nil { return "44444444-aaaa-4bbb-8ccc-000000000004" }
            return CsiInstant(text).map { CsiInstant($0.date.addingTimeInterval(1)).text } ?? text + "1"
        }
    }

    private static let otherKey = (try? P256SigningKey().publicKey.base64Info) ?? ""

    @Test func version2RefusesEachChangedField() throws {
        var tried = 0
        for call in try CsiExamples.version2(key.publicKey, new: new.publicKey) {
            let body = CsiExamples.json(try CsiExamples.signed(call, .v2, key: key, new: new))
            #expect(code(body, call.path) == nil)
            for change in Self.changes(body) {
                #expect(code(change.body, call.path) != nil, "\(call.path.rawValue) \(change.path)")
                tried += 1
            }
            // Each field that is absent or moved to another call.
            for name in try #require(body.object).keys {
                var body = body
                body[name] = Optional<JSON>.none
                #expect(code(body, call.path) != nil, "\(call.path.rawValue) without \(name)")
            }
            for path in CsiPath.allCases where path != call.path { #expect(code(body, path) != nil) }
        }
        #expect(tried > 80)
    }

    /// Version 1 does not sign these fields. A server accepts it only over TLS, and only where the study permits it.
    @Test func version1DoesNotSignTheseFields() throws {
        var accepted: Set<String> = []
        for (call, _) in try CsiExamples.version1(key.publicKey) {
            let body = CsiExamples.json(try CsiExamples.signed(call, .v1, key: key))
            for change in Self.changes(body) where code(change.body, call.path) == nil {
                accepted.insert(call.path.rawValue.split(separator: "/").last.map(String.init)! + change.path)
            }
        }
        #expect(
            accepted == [
                "requestCsiRegistration.applicationClass", "requestCsiRegistration.csiGuid",
                "fetchPublicClaims.csiGuid", "deletePermission.csiGuid", "fetchPermissionsGivenToMe.csiGuid",
                "writePermission.permission.heartScope.accessType", "writePermission.permission.timeStamp",
            ])
    }

    /// A02: in version 1, these calls sign the same payload, so one table of nonces serves all calls.
    @Test func version1DoesNotSeparateTheseCalls() throws {
        let claims = CsiExamples.json(try CsiExamples.signed(.fetchClaims(of: CsiExamples.app), .v1, key: key))
        var body = claims
        body["desiredCsiGuid"] = Optional<JSON>.none
        body["permissionedGuidBeingDeleted"] = .string(CsiExamples.app.text)
        #expect(code(body, .deletePermission) == nil)
        body = claims
        body["desiredCsiGuid"] = Optional<JSON>.none
        body["csiGuid"] = .string(CsiExamples.app.text)
        #expect(code(body, .fetchGivenByMe) == nil)
    }

    // MARK: A11, A12

    @Test func textsThatAreNotPlainAreRefused() throws {
        let bad = [
            "a|b", "a\nb", "a\rb", "a\u{0}b", "a\u{202E}b", "a\u{200B}b", "e\u{301}", "a\"b", "a\u{7F}b", "a\u{2028}b",
            "a\u{FEFF}b", "\u{212B}", "a\u{E000}b", "a\u{FFFF}b", "a\u{85}b", "a\u{AD}b",
        ]
        let registration = CsiExamples.json(
            try CsiExamples.signed(CsiExamples.registration(key.publicKey), .v2, key: key))
        let grant = CsiExamples.json(try CsiExamples.signed(.grant(CsiExamples.terms()), .v2, key: key))
        for text in bad {
            for name in ["applicationClass", "deviceId", "csiGuid", "nonce"] {
                var body = registration
                body[name] = .string(text)
                #expect(code(body, .requestRegistration) == "bad_field", "\(name)")
            }
            var body = registration
            body["publicClaims"] = PublicClaims(lastName: text).json
            #expect(code(body, .requestRegistration) == "bad_field")
            body = grant
            var scope = try #require(grant.at("permission", "heartScope"))
            scope["sensitivityScope"] = .array(["ETH", .string(text)])
            body.withMembers { _ = $0.update("permission") { $0["heartScope"] = scope } }
            #expect(code(body, .writePermission) == "bad_field")
            body = grant
            body.withMembers { _ = $0.update("permission") { $0["permissionedCsiGuids"] = .array([.string(text)]) } }
            #expect(code(body, .writePermission) == "bad_field")
        }
        // Half a surrogate pair is no JSON text.
        let text = registration.text().replacing("device 1", with: #"\ud800"#)
        #expect(code(Data(text.utf8), .requestRegistration) == "malformed")
    }

    @Test func valuesDoNotMoveBetweenLists() throws {
        let body = CsiExamples.json(try CsiExamples.signed(.grant(CsiExamples.terms()), .v1, key: key))
        func changed(_ grantees: [String], type: String, confidentiality: String, sensitivities: [String]) -> JSON {
            var body = body
            body.withMembers { body in
                _ = body.update("permission") { permission in
                    permission["permissionedCsiGuids"] = .array(grantees.map { .string($0) })
                    permission.withMembers { members in
                        _ = members.update("heartScope") { scope in
                            scope["permissionType"] = .string(type)
                            scope["confidentialityScope"] = .string(confidentiality)
                            scope["sensitivityScope"] = .array(sensitivities.map { .string($0) })
                        }
                    }
                }
            }
            return body
        }
        let (app, other) = (CsiExamples.app.text, CsiExamples.other.text)
        let same = changed([app, other], type: "patient", confidentiality: "V", sensitivities: ["ETH", "SOC"])
        #expect(code(same, .writePermission) == nil)
        let shifted = changed([app], type: other, confidentiality: "patient", sensitivities: ["V", "ETH", "SOC"])
        #expect(code(shifted, .writePermission) == "bad_field", "the same payload with other boundaries")
        for (grantees, sensitivities) in [
            ([app], ["ETH", "SOC", other]), ([app], [other, "ETH", "SOC"]),
            ([app, other, CsiExamples.wallet.text], ["ETH", "SOC"]), ([other, app], ["ETH", "SOC"]),
            ([app, other], ["SOC", "ETH"]), ([app, other], ["ETH"]),
        ] {
            let wrong = changed(grantees, type: "patient", confidentiality: "V", sensitivities: sensitivities)
            #expect(code(wrong, .writePermission) == "bad_signature")
        }
    }

    // MARK: A13

    @Test func bodiesOfAnotherFormAreRefused() throws {
        let request = try CsiExamples.signed(.fetchGiven, .v2, key: key)
        let text = String(decoding: request.body, as: UTF8.self)
        let body = CsiExamples.json(request)
        let duplicate = String(text.dropLast()) + #","csiGuid":"\#(CsiExamples.other)"}"#
        let equivalent = text.replacing(#""cipher""#, with: "\"ciphe\u{280}\"")
        for wrong in [
            duplicate, equivalent, "", "[]", "null", "\"a\"", "[\(text)]", text + "x", text + text, "{}",
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 10_000),
            String(text.dropLast()) + #","x":"1"}"#,
            text + String(repeating: " ", count: SignedCsiRequest.maximumBytes),
        ] {
            #expect(code(Data(wrong.utf8), .fetchGivenByMe) == "malformed")
        }
        #expect(code(Data([0xFF, 0xFE]), .fetchGivenByMe) == "malformed")
        for name in try #require(body.object).keys where name != "sigVersion" {
            for value in [JSON.null, 1, true, [], [:], ["a"], .number(JSONNumber(0))] {
                var body = body
                body[name] = value
                #expect(code(body, .fetchGivenByMe) == "malformed", "\(name)")
            }
        }
        for value in [JSON.null, 2, "1", "3", "", true] {
            var body = body
            body["sigVersion"] = value
            #expect(code(body, .fetchGivenByMe) == "bad_field")
        }
        for cipher in ["ECDSA", "rsa", "none", ""] {
            var body = body
            body["cipher"] = .string(cipher)
            #expect(code(body, .fetchGivenByMe) == "bad_cipher")
        }
    }

    /// Kelvin's sign is canonically equivalent to K, so Swift finds `publicKey` by either name.
    @Test func equivalentNameIsAnUnknownField() throws {
        let request = try CsiExamples.signed(CsiExamples.registration(key.publicKey), .v1, key: key)
        let text = String(decoding: request.body, as: UTF8.self)
        let other = text.replacing("\"publicKey\"", with: "\"public\u{212A}ey\"")
        #expect(code(Data(other.utf8), .requestRegistration) == "malformed")
    }

    // MARK: A16

    @Test(.enabled(if: ExternalTool.hasOpenSSL)) func otherKeysAreRefused() throws {
        func openssl(_ script: String) throws -> Data { try ExternalTool.run("sh", ["-c", script]) }
        func curve(_ name: String, _ more: String = "") throws -> Data {
            try openssl(
                "openssl ecparam -name \(name) -genkey -noout | openssl ec -pubout -outform DER \(more) 2>/dev/null")
        }
        let own = [UInt8](key.publicKey.subjectPublicKeyInfo)
        var offCurve = own
        offCurve[90] ^= 1
        var hybrid = own
        hybrid[26] = 6 + hybrid[90] % 2
        let wrong: [String: Data] = [
            "P-384": try curve("secp384r1"), "secp256k1": try curve("secp256k1"),
            "RSA": try openssl(
                "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 2>/dev/null"
                    + " | openssl pkey -pubout -outform DER"),
            "compressed": try curve("prime256v1", "-conv_form compressed"),
            "explicit parameters": try curve("prime256v1", "-param_enc explicit"), "hybrid": Data(hybrid),
            "not on the curve": Data(offCurve), "infinity": Data(own.prefix(24) + [2, 0, 0]),
            "zero point": Data(own.prefix(27) + [UInt8](repeating: 0, count: 64)), "trailing byte": Data(own + [0]),
            "bare point": key.publicKey.x963, "empty": Data(), "40 kB": Data(repeating: 0x30, count: 40_000),
        ]
        let body = CsiExamples.json(try CsiExamples.signed(CsiExamples.registration(key.publicKey), .v1, key: key))
        #expect(code(body, .requestRegistration) == nil)
        for (name, bytes) in wrong {
            var body = body
            body["publicKey"] = .string(bytes.base64EncodedString())
            #expect(code(body, .requestRegistration) == "bad_field", "\(name)")
        }
        for text in [key.publicKey.base64Info + "\n", key.publicKey.base64Info + "=", Data(own).base64URL + "==", "x"] {
            var body = body
            body["publicKey"] = .string(text)
            #expect(code(body, .requestRegistration) == (text == key.publicKey.base64Info ? nil : "bad_field"))
        }
        var large = body
        large["publicKey"] = .string(String(repeating: "A", count: 100_000))
        #expect(code(large, .requestRegistration) == "malformed")
    }
}
