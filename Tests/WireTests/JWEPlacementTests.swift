import Core
import Crypto
import Foundation
import Testing

@testable import Wire

/// Envelopes written by hand: which members RFC 7516 allows for a header parameter, and what it forbids.
@Suite struct JWEPlacementTests {
    private let submissionID = "6f2d1c1e-53f4-4b7c-9a52-0c3d8b4a9f10"

    /// An envelope for the P-256 test key with its header parameters in the members that the caller chooses.
    private struct Draft {
        var protected: [(String, JSON)] = []
        var shared: [(String, JSON)] = []
        var own: [(String, JSON)] = []
        var aad: String?
        var partyU = Data()
        var partyV = Data()
        var general = false

        /// `{alg, kid, epk}` and the function that seals with it.
        func json() throws -> JSON {
            let contentKey = SymmetricKey(size: .bits256)
            guard case .p256(let key) = try TestKeys.p256.get().publicKey else { throw TestFailure("P-256") }
            let secret = try P256PrivateKey(Self.ephemeral.get()).agree(with: key)
            let wrapping = ConcatKDF.derive(
                secret: secret, algorithm: "ECDH-ES+A256KW", partyU: partyU, partyV: partyV)
            let wrapped = try AES.KeyWrap.wrap(contentKey, using: wrapping)
            let text = protected.isEmpty ? "" : Data(object(protected).text().utf8).base64URL
            let authenticated = text + (aad.map { "." + $0 } ?? "")
            let box = try AES.GCM.seal(
                Data("payload".utf8), using: contentKey, authenticating: Data(authenticated.utf8))
            var members: [(String, JSON)] = [
                ("iv", .string(Data(box.nonce).base64URL)), ("ciphertext", .string(box.ciphertext.base64URL)),
                ("tag", .string(box.tag.base64URL)),
            ]
            if !protected.isEmpty { members.append(("protected", .string(text))) }
            if !shared.isEmpty { members.append(("unprotected", object(shared))) }
            if let aad { members.append(("aad", .string(aad))) }
            var recipient: [(String, JSON)] = [("encrypted_key", .string(wrapped.base64URL))]
            if !own.isEmpty { recipient.append(("header", object(own))) }
            if general { members.append(("recipients", .array([object(recipient)]))) } else { members += recipient }
            return object(members)
        }

        private static let ephemeral = Result { P256.KeyAgreement.PrivateKey() }

        static func epk() throws -> JSON {
            let point = try P256PublicKey(x963: ephemeral.get().publicKey.x963Representation)
            return JSON(PublicKey.ellipticMembers(point).map { .init(key: $0.0, value: .string($0.1)) })
        }

        private func object(_ members: [(String, JSON)]) -> JSON {
            JSON(members.map { .init(key: $0.0, value: $0.1) })
        }
    }

    private func names() throws -> [(String, JSON)] {
        [
            ("enc", .string("A256GCM")), ("alg", .string("ECDH-ES+A256KW")), ("epk", try Draft.epk()),
            ("kid", .string(try TestKeys.p256.get().keyID)),
        ]
    }

    private func open(_ json: JSON) throws -> OpenedEnvelope {
        try OpenedEnvelope.open(json.bytes, with: KeySet([try TestKeys.p256.get(), try TestKeys.rsa.get()]))
    }

    @Test(arguments: [false, true]) func headersAreAllowedInAnyOfTheThreeMembers(general: Bool) throws {
        let names = try names()
        // Each of the four names in each of the three members: 81 combinations.
        for way in 0..<81 {
            var draft = Draft(general: general)
            var rest = way
            for name in names {
                switch rest % 3 {
                case 0: draft.protected.append(name)
                case 1: draft.shared.append(name)
                default: draft.own.append(name)
                }
                rest /= 3
            }
            #expect(try open(draft.json()).payload == Data("payload".utf8), "way \(way)")
        }
    }

    @Test func headerNameInTwoMembersIsRefused() throws {
        let names = try names()
        for (name, value) in names {
            var draft = Draft(protected: names, own: [(name, value)])
            #expect(code { _ = try open(draft.json()) } == "envelope-malformed", "\(name)")
            draft = Draft(shared: names, own: [(name, value)])
            #expect(code { _ = try open(draft.json()) } == "envelope-malformed", "\(name)")
            draft = Draft(protected: names, shared: [(name, value)])
            #expect(code { _ = try open(draft.json()) } == "envelope-malformed", "\(name)")
        }
    }

    @Test func partyInformationAndAdditionalDataAreHonoured() throws {
        let (alice, bob) = (Data("Alice".utf8), Data("Bob".utf8))
        var draft = Draft(
            protected: try names() + [("apu", .string(alice.base64URL)), ("apv", .string(bob.base64URL))],
            aad: "AAEC", partyU: alice, partyV: bob)
        #expect(try open(draft.json()).payload == Data("payload".utf8))
        draft.partyU = bob
        #expect(code { _ = try open(draft.json()) } == "envelope-unreadable")
        draft.partyU = alice
        let json = try draft.json()
        #expect(code { _ = try open(json.replacing("aad", with: .string("AAED"))) } == "envelope-unreadable")
        #expect(code { _ = try open(json.without("aad")) } == "envelope-unreadable")
    }

    @Test(arguments: ["protected", "unprotected", "header"])
    func criticalAndCompressedEnvelopesAreRefusedForEveryMember(member: String) throws {
        for extra in [("crit", JSON.array([.string("exp")])), ("crit", .array([])), ("zip", .string("DEF"))] {
            var draft = Draft(protected: try names())
            switch member {
            case "protected": draft.protected.append(extra)
            case "unprotected": draft.shared.append(extra)
            default: draft.own.append(extra)
            }
            #expect(code { _ = try open(draft.json()) } == "envelope-unsupported")
            #expect(code { _ = try EnvelopeHeader.read(from: draft.json().bytes) } == "envelope-unsupported")
        }
    }

    @Test(arguments: [
        ("alg", "dir"), ("alg", "none"), ("alg", "RSA1_5"), ("alg", "RSA-OAEP"), ("alg", "ECDH-ES"), ("alg", "A256KW"),
        ("alg", "PBES2-HS256+A128KW"), ("alg", ""), ("enc", "A128GCM"), ("enc", "A256CBC-HS512"), ("enc", "none"),
        ("enc", ""),
    ])
    func otherAlgorithmsAreRefused(name: String, value: String) throws {
        let draft = Draft(protected: try names().map { $0.0 == name ? (name, .string(value)) : $0 })
        #expect(code { _ = try open(draft.json()) } == "envelope-unsupported")
        let missing = Draft(protected: try names().filter { $0.0 != name })
        #expect(code { _ = try open(missing.json()) } == "envelope-unsupported")
    }

    @Test(arguments: ["iv", "ciphertext", "tag", "encrypted_key"])
    func aMissingOrForeignMemberIsMalformed(name: String) throws {
        let json = try Draft(protected: names()).json()
        for changed in [
            json.without(name), json.replacing(name, with: 1), json.replacing(name, with: .string("A")),
            json.replacing(name, with: .string("AA==")), json.replacing(name, with: .null),
        ] {
            #expect(code { _ = try open(changed) } == "envelope-malformed")
        }
    }

    @Test func theTwoSerialisationsAreNotMixed() throws {
        let general = try Draft(protected: names(), general: true).json()
        let flattened = try Draft(protected: names()).json()
        #expect(code { _ = try open(general.replacing("encrypted_key", with: .string(""))) } == "envelope-malformed")
        #expect(code { _ = try open(general.replacing("header", with: [:])) } == "envelope-malformed")
        #expect(code { _ = try open(flattened.replacing("recipients", with: .array([]))) } == "envelope-malformed")
        #expect(code { _ = try open(general.replacing("recipients", with: .array([]))) } == "envelope-malformed")
        #expect(code { _ = try open(general.replacing("recipients", with: .array([.null]))) } == "envelope-malformed")
        let recipient = try #require(general["recipients"]?.array?.first)
        let many = general.replacing("recipients", with: .array(Array(repeating: recipient, count: 17)))
        #expect(code { _ = try open(many) } == "envelope-unsupported")
    }

    @Test func theEphemeralKeyMustBeAPointOfTheCurve() throws {
        let (epk, names) = (try Draft.epk(), try names())
        for changed in [
            epk.replacing("x", with: .string(Data(repeating: 1, count: 32).base64URL)),
            epk.replacing("crv", with: .string("P-384")), epk.without("y"), .null,
            epk.replacing("x", with: .string(Data(repeating: 1, count: 31).base64URL)),
        ] {
            let draft = Draft(protected: names.map { $0.0 == "epk" ? ("epk", changed) : $0 })
            #expect(code { _ = try open(draft.json()) } == "envelope-malformed")
        }
    }

    @Test func submissionHeadersMustBeProtected() throws {
        let names = try names()
        let good: [(String, JSON)] = [("sid", .string(submissionID)), ("seq", 1)]
        #expect(try EnvelopeHeader.read(from: Draft(protected: names + good).json().bytes).sequence == 1)
        #expect(try open(Draft(protected: names).json()).submissionID == nil)
        let bad: [[(String, JSON)]] = [
            [], [("sid", .string(submissionID))], [("seq", 1)], [("sid", .string("x")), ("seq", 1)],
            [("sid", .string(submissionID)), ("seq", 0)],
            [("sid", .string(submissionID)), ("seq", .number(JSONNumber(text: "1.0")!))],
            [("sid", .string(submissionID)), ("seq", .string("1"))],
            [("sid", .string(submissionID)), ("seq", .bool(true))],
            good + [("cty", .string("text/plain"))], good + [("fhirVersion", 4)],
        ]
        for added in bad {
            #expect(
                code { _ = try EnvelopeHeader.read(from: Draft(protected: names + added).json().bytes) }
                    == "envelope-header-invalid")
        }
        let unprotected = Draft(protected: names, shared: good)
        #expect(code { _ = try EnvelopeHeader.read(from: unprotected.json().bytes) } == "envelope-header-invalid")
    }

    @Test(arguments: [
        ("application/fhir+json", PayloadType.resource), ("fhir+ndjson", .batch),
        ("Application/FHIR+NDJSON; charset=utf-8", .batch),
    ])
    func theContentTypeIsReadAsTheStandardAllows(text: String, type: PayloadType) {
        #expect(PayloadType(header: text) == type)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"a":1}"#, "abc", #"{"ciphertext":1}"#, #"{"payload":"","signatures":[]}"#,
    ])
    func invalidEnvelopeIsMalformed(text: String) {
        #expect(code { _ = try EnvelopeHeader.read(from: Data(text.utf8)) } == "envelope-malformed")
        #expect(code { _ = try OpenedEnvelope.open(Data(text.utf8), with: KeySet([])) } == "envelope-malformed")
    }
}
