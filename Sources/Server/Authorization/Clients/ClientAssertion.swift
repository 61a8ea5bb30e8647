import Core
import Foundation
import Wire

/// The assertion with which a client with a private key authenticates at the token endpoint: `private_key_jwt` as SMART
/// profiles it (<https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authentication-jwts>;
/// RFC 7523 section 3).
///
/// A value of this type claims to be from a client, and is valid for this server and this moment. ``verify(with:)``
/// checks the client's signature. After that, the store of ``use`` checks that the assertion was not used before, and
/// keeps it until it expires. The order matters: otherwise another party could use up a client's ids.
package struct ClientAssertion: Sendable {
    /// The client that the assertion claims to be from: `iss` and `sub`.
    package let clientID: String
    /// Its id and expiry, by which a second use is detected.
    package let use: Use
    private let jws: JWS

    /// The properties that are stored of an accepted assertion.
    package struct Use: Sendable, Hashable {
        package let clientID: String
        /// `jti`, chosen by the client: two clients may use the same.
        package let tokenID: String
        /// `exp`. After it, the assertion is refused even if it is not stored.
        package let expiresAt: Date
    }

    /// Maximum length of an assertion in bytes.
    package static let maximumBytes = 16_384
    /// Maximum seconds from the present, and from `iat`, to the expiry.
    package static let longestLife = 300
    /// Maximum seconds that `iat` or `nbf` may be in the future, because of the client's clock.
    package static let clockSkew = 30
    /// Lengths of ids that hardly ever repeat and are cheap to store.
    private static let tokenIDLength = 8...256
    private static let clientIDLength = 1...256

    /// Parses an assertion without the client's keys.
    ///
    /// - Parameters:
    ///   - compact: the form's `client_assertion`.
    ///   - tokenURL: the published address of the token endpoint: the only audience.
    ///   - keySetURL: returns the registered address of a client's keys; called once the client is known.
    /// - Throws: ``ClientAssertionError``, with one code for all errors.
    package init(
        reading compact: String, tokenURL: String, now: Date, keySetURL: (_ clientID: String) -> String? = { _ in nil }
    ) throws(ClientAssertionError) {
        guard compact.utf8.count <= Self.maximumBytes else { throw .invalid("It is longer than an assertion is.") }
        // 1. The client. The address of its keys is registered.
        do {
            jws = try JWS(
                compact: Data(compact.utf8), accepting: Set(SignatureAlgorithm.allCases), permitting: ["jku"])
        } catch { throw .invalid(error.message) }
        guard let claims = JSON(reading: jws.payload), claims.object != nil else {
            throw .invalid("Its payload is no JSON object.")
        }
        guard let issuer = claims["iss"]?.string, claims["sub"]?.string == issuer,
            Self.clientIDLength.contains(issuer.utf8.count)
        else { throw .invalid("Its iss and sub must both be the client's id.") }
        if let named = jws.header["jku"] {
            guard let registered = keySetURL(issuer), named.string == registered else {
                throw .invalid("Its jku is not the address that the client registered.")
            }
        }
        guard jws.header["typ"]?.string == "JWT", jws.keyID != nil else {
            throw .invalid("Its header must have the typ JWT and the kid of the client's key.")
        }
        // 2. The audience is this endpoint only; a list contains it alone.
        let audience = claims["aud"]?.string ?? claims["aud"]?.array.flatMap { $0.count == 1 ? $0[0].string : nil }
        guard audience == tokenURL else { throw .invalid("Its aud must be the address of the token endpoint.") }
        // 3. The time: valid now, and for a short time.
        let present = Int(now.timeIntervalSince1970.rounded(.down))
        guard let end = claims["exp"]?.integer, end > present else { throw .invalid("Its exp is missing or over.") }
        guard end <= present + Self.longestLife else {
            throw .invalid("Its exp is more than \(Self.longestLife) seconds away.")
        }
        for name in ["iat", "nbf"] {
            guard let claim = claims[name] else { continue }
            guard let begin = claim.integer, (0...(present + Self.clockSkew)).contains(begin) else {
                throw .invalid("Its \(name) is no time, or lies in the future.")
            }
            guard name != "iat" || end - begin <= Self.longestLife else {
                throw .invalid("Its exp is more than \(Self.longestLife) seconds after its iat.")
            }
        }
        // 4. The id, for use once.
        guard let tokenID = claims["jti"]?.string, Self.tokenIDLength.contains(tokenID.utf8.count) else {
            throw .invalid("Its jti must have 8 to 256 characters.")
        }
        clientID = issuer
        use = Use(clientID: issuer, tokenID: tokenID, expiresAt: Date(timeIntervalSince1970: Double(end)))
    }

    /// Checks that the client's key with the given key id signed the assertion.
    package func verify(with keys: SignatureKeySet) throws(ClientAssertionError) {
        guard let key = keys.key(for: jws), (try? jws.verify(with: key)) != nil else {
            throw .invalid("It is not signed by the key of the client that it names.")
        }
    }
}

/// The refusal of a client's assertion. The token endpoint reports it as `invalid_client` (RFC 6749 section 5.2). The
/// message helps a developer to find the error, and repeats no part of the request.
package struct ClientAssertionError: CodedError, Hashable {
    package let code: String
    package let message: String

    static func invalid(_ sentence: String) -> ClientAssertionError {
        ClientAssertionError(code: "client-assertion-invalid", message: "The client_assertion is refused. " + sentence)
    }
}
