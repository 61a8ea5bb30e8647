import Core
import Foundation
import TestSupport
import Testing

@testable import Wire

/// The document's assertions for `/vaca/auth` and `/vaca/access`, with their quirks, and the standard one.
@Suite struct LegacyAssertionTests {
    let key: P256SigningKey
    static let now = Date(timeIntervalSince1970: 1_513_148_732)
    static let audience = "http://127.0.0.1:8080/vaca/auth"
    static let scope = "patient/Patient.read sens/ETH sens/SOC conf/V"

    init() throws { key = try P256SigningKey() }

    private func auth(_ body: String, now: Date = now) throws -> LegacyAuthRequest {
        let request = try LegacyAuthRequest(reading: Data(body.utf8))
        try request.check(audience: Self.audience, now: now)
        try request.verify(with: key.publicKey)
        return request
    }

    private func form() throws -> String {
        try LegacyAuthRequest.form(
            csi: CsiExamples.app, audience: Self.audience, deviceID: "device 1", scope: Self.scope, now: Self.now,
            key: key)
    }

    /// A form with an assertion of these claims.
    private func form(_ claims: String, header: String = #"{"alg":"ES256","typ":"jwt"}"#) throws -> String {
        let assertion = try LegacyAssertion.signed(header: header, payload: Data(claims.utf8), with: key)
        return Self.form(assertion)
    }

    private static func form(_ assertion: String) -> String {
        "grant_type=authorization_code&assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            + "&assertion=\(assertion)"
    }

    private static func claims(
        iat: String = "\"1513148732\"", exp: String = "\"1513149032\"", sub: String = CsiExamples.app.text
    ) -> String {
        #"{"iss":"\#(CsiExamples.app)","sub":"\#(sub)","aud":"\#(audience)","iat":\#(iat),"exp":\#(exp),"#
            + #""jti":"device 1","scope":"\#(scope)","sta":"device 1"}"#
    }

    @Test func formsAreThoseOfTheDocument() throws {
        let text = try form()
        let parts = try #require(text.split(separator: "&assertion=").last).split(separator: ".")
        #expect(text == Self.form(parts.joined(separator: ".")))
        #expect(parts[0] == Data(#"{"alg":"ES256","typ":"jwt"}"#.utf8).base64EncodedString())
        #expect(parts[1] == Data(Self.claims().utf8).base64EncodedString())
        let access = try LegacyAccessRequest.form(csi: CsiExamples.app, code: "c-1", key: key)
        let accessParts = try #require(access.split(separator: "&client_assertion=").last).split(separator: ".")
        #expect(
            access == "grant_type=authorization_code&code=c-1&client_assertion_type="
                + "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion="
                + accessParts.joined(separator: "."))
        #expect(accessParts[0] == Data(#"{"kid":"\#(CsiExamples.app)","alg":"ES256"}"#.utf8).base64EncodedString())
        #expect(accessParts[1] == Data(#"{"code":"c-1","iss":"\#(CsiExamples.app)"}"#.utf8).base64EncodedString())
    }

    @Test func authIsReadWithAllQuirks() throws {
        // 72 of 100 signatures contain a plus sign, which a form turns into a blank.
        for _ in 0..<30 {
            let text = try form()
            let request = try auth(text)
            #expect(request.issuer == CsiExamples.app && request.scope == Self.scope && request.state == "device 1")
            let assertion = try #require(text.split(separator: "&assertion=").last).split(separator: ".")
            let url = assertion.map { part in
                (Data(base64Encoded: String(part)) ?? Data()).base64URL
            }
            let joined = assertion.joined(separator: ".")
            let lastBlank = "\(assertion[0]).\(assertion[1]) \(assertion[2])"
            for other in [
                url.joined(separator: "."), assertion.map { $0.replacing("=", with: "") }.joined(separator: "."),
                joined.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D"),
                lastBlank, lastBlank.replacing("+", with: "%2B").replacing(" ", with: "%20"),
            ] {
                #expect(try auth(Self.form(other)) == request)
            }
        }
        for (iat, exp) in [("1513148732", "1513149032"), ("\"1513148732\"", "1513149032")] {
            _ = try auth(form(Self.claims(iat: iat, exp: exp)))
        }
    }

    /// J15: the header is not signed.
    @Test func headerIsIgnored() throws {
        for header in [#"{"alg":"none","kid":"\#(CsiExamples.other)"}"#, "x", #"{"alg":"ecdsa"}"#] {
            #expect(try auth(form(Self.claims(), header: header)).issuer == CsiExamples.app)
        }
    }

    @Test func otherAssertionsAreRefused() throws {
        let good = try #require(try form().split(separator: "&assertion=").last).split(separator: ".").map(String.init)
        let foreign = try LegacyAssertion.signed(
            header: "{}", payload: Data(Self.claims().utf8), with: try P256SigningKey())
        let jws = try JWS.sign(Data(Self.claims().utf8), members: [], with: key)
        for wrong in [
            foreign, String(decoding: jws.bytes, as: UTF8.self), "", "..", good[0], good[0] + "." + good[1],
            good.joined(separator: " "), good.joined(separator: ".") + ".", good.joined(separator: ".") + "A",
            good[0] + "." + good[1] + ".AAAA", good[0] + "..\(good[2])", good[0] + ".e30." + good[2],
            String(repeating: "A", count: 20_000), String(repeating: " ", count: 16_000),
            "a." + String(repeating: " ", count: 16_000),
        ] {
            let code = permissionCode { _ = try auth(Self.form(wrong)) }
            #expect(code == (wrong.isEmpty ? "invalid_request" : "invalid_client"), "\(wrong.prefix(20))")
        }
        for claims in [
            Self.claims(sub: CsiExamples.other.text), Self.claims(iat: "\"1513148732 \""), Self.claims(iat: "1e9"),
            Self.claims(iat: "1513148431", exp: "1513148731"), Self.claims(iat: "1513149033", exp: "1513149333"),
            Self.claims(exp: "1513148732"), Self.claims(exp: "1513149033"), Self.claims(iat: "\"\""),
            Self.claims(iat: "-1"), Self.claims(iat: "99999999999999999999"), Self.claims(iat: "null"),
            Self.claims().replacing("/vaca/auth", with: "/vaca/auth/"),
            Self.claims().replacing("\"sta\"", with: "\"x\""),
            String(Self.claims().dropLast()) + #","iss":"\#(CsiExamples.other)"}"#, "[]", "{}",
        ] {
            #expect(permissionCode { _ = try auth(form(claims)) } == "invalid_client", "\(claims)")
        }
    }

    @Test func aSecondUseHasTheSameKey() throws {
        let request = try auth(form())
        let other = try form(Self.claims(iat: "1513148733"))
        #expect(try auth(form()).replayKey == request.replayKey, "another signature of the same payload")
        #expect(try auth(other).replayKey != request.replayKey)
        #expect(request.replayKey.hasPrefix("\(CsiExamples.app) 1513148732 "))
    }

    @Test func accessIsReadInBothForms() throws {
        for _ in 0..<30 {
            for shape in LegacyAccessRequest.Form.allCases {
                let text = try LegacyAccessRequest.form(shape, csi: CsiExamples.app, code: "c-1", key: key)
                if shape == .escapedAgain { #expect(text.contains("urn%253Aietf") && !text.contains("+")) }
                let request = try LegacyAccessRequest(reading: Data(text.utf8))
                #expect(request.issuer == CsiExamples.app && request.code == "c-1")
                try request.verify(with: key.publicKey)
                let other = try P256SigningKey().publicKey
                #expect(permissionCode { try request.verify(with: other) } == "invalid_client")
            }
        }
        let text = try LegacyAccessRequest.form(csi: CsiExamples.app, code: "c-1", key: key)
        for (wrong, code) in [
            (text.replacing("code=c-1", with: "code=c-2"), "invalid_grant"),
            (text.replacing("code=c-1", with: "code="), "invalid_request"),
            (text.replacing("=authorization_code", with: "=client_credentials"), "unsupported_grant_type"),
            (text.replacing("jwt-bearer", with: "saml2-bearer"), "invalid_request"),
            (text.replacing("urn%3A", with: "urn%25253A"), "invalid_request"), (text + "&code=c-1", "invalid_request"),
            ("", "invalid_request"), ("%", "invalid_request"),
            (text + String(repeating: "&", count: LegacyForm.maximumBytes), "invalid_request"),
            (text + (0..<40).map { "&a\($0)=" }.joined(), "invalid_request"),
        ] {
            #expect(permissionCode { _ = try LegacyAccessRequest(reading: Data(wrong.utf8)) } == code)
        }
        // An assertion of one call is none of the other.
        let auth = try form().replacing("&assertion", with: "&client_assertion") + "&code=c-1"
        #expect(permissionCode { _ = try LegacyAccessRequest(reading: Data(auth.utf8)) } == "invalid_client")
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL)) func opensslVerifiesThePayload() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (open, file) = (folder.url.appendingPathComponent("p.pem"), folder.url.appendingPathComponent("s.der"))
        try Data(PublicKey.p256(key.publicKey).pem.utf8).write(to: open)
        let parts = try #require(try form().split(separator: "&assertion=").last).split(separator: ".")
        try #require(Data(base64Encoded: String(parts[2]))).write(to: file)
        let answer = try ExternalTool.run(
            "openssl", ["dgst", "-sha256", "-verify", open.path, "-signature", file.path],
            input: try #require(Data(base64Encoded: String(parts[1]))))
        #expect(String(decoding: answer, as: UTF8.self).contains("Verified OK"))
    }

    @Test func standardRequestIsAJWSOfTheCsi() throws {
        let text = try CsiTokenRequest.form(
            csi: CsiExamples.app, tokenURL: "https://study.example/oauth2/token", scope: "patient/*.rs", now: Self.now,
            tokenID: "0123456789abcdef", key: key)
        let fields = Dictionary(
            try #require(PercentEncoding.fields(text)).map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first })
        #expect(fields["grant_type"] == "client_credentials" && fields["scope"] == "patient/*.rs")
        let jws = try JWS(compact: Data(try #require(fields["client_assertion"]).utf8))
        try jws.verify(with: key.publicKey)
        #expect(jws.keyID == CsiExamples.app.text && jws.header["typ"] == "JWT" && jws.header["alg"] == "ES256")
        let claims = try #require(JSON(reading: jws.payload))
        #expect(claims["iss"] == claims["sub"] && claims["iss"]?.string == CsiExamples.app.text)
        #expect(claims["iat"]?.integer == 1_513_148_732 && claims["exp"]?.integer == 1_513_148_972)
    }
}
