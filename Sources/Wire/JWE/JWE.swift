import Core
import Foundation

/// A JWE in JSON serialisation (RFC 7516 section 7.2), parsed as far as possible without a key.
///
/// A value of this type passed every check that needs no key: the algorithms are supported, each header name occurs
/// only once, there are no critical extensions and no compression, and initialisation vector and tag have the right
/// length.
struct JWE: Sendable {
    /// One recipient: its combined JOSE header and the content key wrapped for it.
    struct Recipient: Sendable {
        let management: KeyManagement
        let keyID: String?
        let ephemeral: P256PublicKey?
        let partyU: Data
        let partyV: Data
        let encryptedKey: Data
    }

    /// Maximum number of recipients, more than a study has. The limit bounds the work that an envelope can cause.
    static let maximumRecipients = 16

    let recipients: [Recipient]
    /// The members of the protected header, which the content's authentication covers.
    let protected: JSON
    /// The additional authenticated data: protected header and `aad` in their encoded form (RFC 7516 section 5.1 step
    /// 14).
    let authenticatedData: Data
    let initializationVector: Data
    /// The encoded ciphertext. It is nearly all of the envelope and is decoded only to open it.
    let ciphertextText: String
    let tag: Data

    /// The ciphertext, decoded.
    var ciphertext: Data { Data(base64URL: ciphertextText) ?? Data() }
}

extension JWE {
    /// Reads a general or flattened JWE. Throws `envelope-malformed` or `envelope-unsupported`.
    init(_ json: JSON) throws(WireError) {
        // 1. The content's parts.
        initializationVector = try Self.bytes(json, "iv")
        guard let ciphertext = try Self.textIfPresent(json, "ciphertext") else { throw Self.missing("ciphertext") }
        guard Base64URL.isWellFormed(ciphertext) else { throw Self.notBase64URL("ciphertext") }
        ciphertextText = ciphertext
        tag = try Self.bytes(json, "tag")
        guard initializationVector.count == 12, tag.count == 16 else {
            throw WireError.malformed("A256GCM has an iv of 12 and a tag of 16 bytes.")
        }
        // 2. The shared headers. An empty protected header is omitted.
        let protectedText = try Self.textIfPresent(json, "protected") ?? ""
        if protectedText.isEmpty {
            protected = .object(JSONObject())
        } else {
            guard let bytes = Data(base64URL: protectedText), let header = JSON(reading: bytes), header.object != nil
            else { throw WireError.malformed("The protected header is not base64url of a JSON object.") }
            protected = header
        }
        let shared = try Self.objectIfPresent(json, "unprotected") ?? .object(JSONObject())
        var authenticated = protectedText
        if let aad = try Self.textIfPresent(json, "aad") {
            guard Data(base64URL: aad) != nil else { throw WireError.malformed("The member aad is not base64url.") }
            authenticated += "." + aad
        }
        authenticatedData = Data(authenticated.utf8)
        // 3. The recipients: a list, or a single recipient with its members at the top level (RFC 7516 section 7.2.2),
        // never both.
        let sources: [JSON]
        if let list = json["recipients"] {
            guard let list = list.array, !list.isEmpty, json["header"] == nil, json["encrypted_key"] == nil else {
                throw WireError.malformed("The member recipients must be a list and replace encrypted_key.")
            }
            sources = list
        } else {
            sources = [json]
        }
        guard sources.count <= Self.maximumRecipients else {
            throw WireError.unsupported("An envelope has a maximum of \(Self.maximumRecipients) recipients.")
        }
        let protected = self.protected
        recipients = try sources.map { source throws(WireError) in
            try Self.recipient(source, protected: protected, shared: shared)
        }
    }

    private static func recipient(_ source: JSON, protected: JSON, shared: JSON) throws(WireError) -> Recipient {
        guard source.object != nil else { throw WireError.malformed("A recipient must be a JSON object.") }
        let own = try objectIfPresent(source, "header") ?? .object(JSONObject())
        // RFC 7516 section 7.2.1: the names in the three headers must be disjoint.
        let members = [protected, shared, own].flatMap { $0.object?.members ?? [] }
        let header = JSON(members)
        guard header.object?.count == members.count else {
            throw WireError.malformed("A header name occurs twice.")
        }
        guard header["crit"] == nil else { throw WireError.unsupported("The envelope has critical extensions.") }
        guard header["zip"] == nil else { throw WireError.unsupported("Compressed envelopes are not supported.") }
        guard header["enc"]?.string == "A256GCM" else {
            throw WireError.unsupported("The content encryption must be A256GCM.")
        }
        guard let name = header["alg"]?.string, let management = KeyManagement(rawValue: name) else {
            throw WireError.unsupported("The key management must be RSA-OAEP-256 or ECDH-ES+A256KW.")
        }
        return Recipient(
            management: management, keyID: try textIfPresent(header, "kid"),
            ephemeral: management == .ecdhESA256KW ? try ephemeralKey(header) : nil,
            partyU: try bytesIfPresent(header, "apu") ?? Data(), partyV: try bytesIfPresent(header, "apv") ?? Data(),
            encryptedKey: try bytes(source, "encrypted_key"))
    }

    private static func ephemeralKey(_ header: JSON) throws(WireError) -> P256PublicKey {
        guard let jwk = header["epk"], case .p256(let key)? = try? PublicKey(jwk: jwk) else {
            throw WireError.malformed("The header epk must be a P-256 public key.")
        }
        return key
    }

    private static func textIfPresent(_ json: JSON, _ name: String) throws(WireError) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.string else { throw WireError.malformed("The member \(name) must be text.") }
        return text
    }

    private static func bytesIfPresent(_ json: JSON, _ name: String) throws(WireError) -> Data? {
        guard let text = try textIfPresent(json, name) else { return nil }
        guard let bytes = Data(base64URL: text) else { throw notBase64URL(name) }
        return bytes
    }

    private static func bytes(_ json: JSON, _ name: String) throws(WireError) -> Data {
        guard let bytes = try bytesIfPresent(json, name) else { throw missing(name) }
        return bytes
    }

    private static func missing(_ name: String) -> WireError { .malformed("The member \(name) is missing.") }

    private static func notBase64URL(_ name: String) -> WireError { .malformed("The member \(name) is not base64url.") }

    private static func objectIfPresent(_ json: JSON, _ name: String) throws(WireError) -> JSON? {
        guard let value = json[name] else { return nil }
        guard value.object != nil else { throw WireError.malformed("The member \(name) must be an object.") }
        return value
    }
}
