import Core
import Foundation
import Wire

/// What a client that keeps a private key proves itself with where it asks for a token: `private_key_jwt` as SMART profiles
/// it (<https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authentication-jwts>; RFC 7523
/// section 3).
///
/// A value of this type says who it claims to be from, for this server and this moment. That the client signed it is told
/// by ``verify(with:)``, and that it was not used before by whoever keeps ``use`` until it ends: in this order, so that
/// nobody else uses up a client's ids.
public struct ClientAssertion: Sendable {
    /// The client that it claims to be from: `iss` and `sub`.
    public let clientID: String
    /// Its id and its end, by which it counts once.
    public let use: Use
    private let jws: JWS

    /// What is kept of an assertion that was taken.
    public struct Use: Sendable, Hashable {
        public let clientID: String
        /// `jti`, which is the client's own: two clients may have the same.
        public let tokenID: String
        /// `exp`, after which it is refused without being remembered.
        public let expiresAt: Date
    }

    /// Bytes beyond which nothing is read.
    public static let maximumBytes = 16_384
    /// An assertion ends at most so many seconds after the present, and after it was made.
    public static let longestLife = 300
    /// So many seconds may a client's clock be ahead where it says when the assertion was made, or begins.
    public static let clockSkew = 30
    /// The lengths of ids that can hardly come twice, and are no burden to keep.
    private static let tokenIDLength = 8...256
    private static let clientIDLength = 1...256

    /// Reads an assertion without its keys.
    ///
    /// - Parameters:
    ///   - compact: the form's `client_assertion`.
    ///   - tokenURL: the address of the endpoint, as it is published: the one audience.
    ///   - keySetURL: where the keys of the client are that it says it is, as they are registered; asked once it is known
    ///     which client that is.
    /// - Throws: ``ClientAssertionError``: one code for all that is wrong with it.
    public init(
        reading compact: String, tokenURL: String, now: Date, keySetURL: (_ clientID: String) -> String? = { _ in nil }
    ) throws(ClientAssertionError) {
        guard compact.utf8.count <= Self.maximumBytes else { throw .invalid("It is longer than an assertion is.") }
        // 1. Whose it claims to be. Where the keys of a client are is known from when it was registered.
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
        // 2. For this endpoint and no other; a list names it alone.
        let audience = claims["aud"]?.string ?? claims["aud"]?.array.flatMap { $0.count == 1 ? $0[0].string : nil }
        guard audience == tokenURL else { throw .invalid("Its aud must be the address of the token endpoint.") }
        // 3. Now, and not for long.
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
        // 4. Once.
        guard let tokenID = claims["jti"]?.string, Self.tokenIDLength.contains(tokenID.utf8.count) else {
            throw .invalid("Its jti must have 8 to 256 characters.")
        }
        clientID = issuer
        use = Use(clientID: issuer, tokenID: tokenID, expiresAt: Date(timeIntervalSince1970: Double(end)))
    }

    /// Checks that one of the client's keys signed it: the one that it names.
    public func verify(with keys: SignatureKeySet) throws(ClientAssertionError) {
        guard let key = keys.key(for: jws), (try? jws.verify(with: key)) != nil else {
            throw .invalid("It is not signed by the key of the client that it names.")
        }
    }
}

/// The refusal of a client's assertion. The token endpoint answers it as `invalid_client` (RFC 6749 section 5.2). The sentence
/// tells a developer what to look at, and nothing of what was sent.
public struct ClientAssertionError: CodedError, Hashable {
    public let code: String
    public let message: String

    static func invalid(_ sentence: String) -> ClientAssertionError {
        ClientAssertionError(code: "client-assertion-invalid", message: "The client_assertion is refused. " + sentence)
    }
}
