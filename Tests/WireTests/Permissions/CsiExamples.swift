import Core
import Foundation

@testable import Wire

/// Calls with fixed values, and the payloads of version 1 written out.
enum CsiExamples {
    static let wallet = guid("11111111-aaaa-4bbb-8ccc-000000000001")
    static let app = guid("22222222-aaaa-4bbb-8ccc-000000000002")
    static let other = guid("33333333-aaaa-4bbb-8ccc-000000000003")
    static let time = instant("2018-03-06T12:00:00.000Z")
    static let nonce = "0123456789abcdefABCDEF-456789012"

    static func guid(_ text: String) -> CsiGuid {
        guard let guid = CsiGuid(text) else { preconditionFailure("\(text) is no guid") }
        return guid
    }

    static func instant(_ text: String) -> CsiInstant {
        guard let instant = CsiInstant(text) else { preconditionFailure("\(text) is no time") }
        return instant
    }

    /// The terms of the document's wallet: one month, write, V, ETH and SOC, Patient.
    static func terms(parent: String? = nil) throws -> PermissionTerms {
        try PermissionTerms(
            grantees: [app, other], start: time, end: instant("2018-04-06T12:00:00.000Z"), timeStamp: time,
            scope: PermissionScope(
                access: .write, confidentiality: "V", sensitivities: ["ETH", "SOC"], types: .listed(["Patient"])),
            parent: parent)
    }

    static func registration(_ key: P256PublicKey, claims: PublicClaims = PublicClaims()) -> CsiCall {
        .register(CsiRegistration(applicationClass: "mHealth DApp", deviceID: "device 1", claims: claims, key: key))
    }

    /// The calls of version 1 with their payloads, byte for byte.
    static func version1(_ key: P256PublicKey) throws -> [(call: CsiCall, payload: String)] {
        [
            (
                registration(key),
                "|ecdsa|\(key.subjectPublicKeyInfo.base64EncodedString())|device 1|2018-03-06T12:00:00.000Z|"
                    + #"0123456789abcdefABCDEF-456789012|[{"key": "DateofBirth", "value": ""},"#
                    + #"{"key": "FirstName", "value": ""},{"key": "MiddleName", "value": ""},"#
                    + #"{"key": "LastName", "value": ""},{"key": "Gender", "value": ""}]|"#
            ),
            (
                .fetchClaims(of: app),
                "|22222222-aaaa-4bbb-8ccc-000000000002|2018-03-06T12:00:00.000Z|0123456789abcdefABCDEF-456789012|"
            ),
            (
                .grant(try terms()),
                "|2018-04-06T12:00:00.000Z|2018-03-06T12:00:00.000Z|22222222-aaaa-4bbb-8ccc-000000000002|"
                    + "33333333-aaaa-4bbb-8ccc-000000000003|patient|V|ETH|SOC|Patient|"
                    + "11111111-aaaa-4bbb-8ccc-000000000001|2018-03-06T12:00:00.000Z|0123456789abcdefABCDEF-456789012|"
            ),
            (
                .end(app),
                "|22222222-aaaa-4bbb-8ccc-000000000002|2018-03-06T12:00:00.000Z|0123456789abcdefABCDEF-456789012|"
            ),
            (
                .fetchGiven,
                "|11111111-aaaa-4bbb-8ccc-000000000001|2018-03-06T12:00:00.000Z|0123456789abcdefABCDEF-456789012|"
            ),
            (.fetchReceived, "|2018-03-06T12:00:00.000Z|0123456789abcdefABCDEF-456789012|"),
        ]
    }

    /// All calls of version 2.
    static func version2(_ key: P256PublicKey, new: P256PublicKey) throws -> [CsiCall] {
        [
            registration(
                key,
                claims: PublicClaims(
                    dateOfBirth: "1980-01-01", firstName: "Zoë", middleName: "O'", lastName: "Miller", gender: "f")),
            .fetchClaims(of: app), .bind(code: "code-1"), .rotateKey(new), .revoke(app),
            .grant(try terms(parent: "p1")), .end(app), .end(app, permission: "p1"), .fetchGiven, .fetchReceived,
        ]
    }

    static func signed(
        _ call: CsiCall, _ version: CsiSignatureVersion, key: P256SigningKey, new: P256SigningKey? = nil
    ) throws -> SignedCsiRequest {
        var newKey: P256SigningKey?
        if case .rotateKey = call { newKey = new }
        return try SignedCsiRequest(
            signing: call, csi: wallet, time: time, nonce: nonce, version: version, key: key, newKey: newKey)
    }

    /// The body of a request as JSON.
    static func json(_ request: SignedCsiRequest) -> JSON { JSON(reading: request.body) ?? .null }
}

/// Returns the code of the `PermissionError` that the body throws, `other: …` for another error, and `nil` for none.
func permissionCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as PermissionError {
        return error.code
    } catch {
        return "other: \(error)"
    }
}
