import COpenSSL
import Foundation
import Wire

/// Opens RSA envelopes with OpenSSL, whose private operation is more than twice as fast as BoringSSL's, and P-256 ones
/// with swift-crypto.
package struct OpenSSLKeyOpener: EnvelopeKeyOpener {
    private let keySet: KeySet
    private let rsa: [String: RSAKeyHandle]

    package init(_ keys: [PrivateKey]) throws {
        keySet = KeySet(keys)
        var handles: [String: RSAKeyHandle] = [:]
        for case .rsa(let key) in keys { handles[key.publicKey.keyID] = try RSAKeyHandle(pkcs8: key.pkcs8) }
        rsa = handles
    }

    package func keyIDs(of kind: KeyKind) -> [String] { keySet.keyIDs(of: kind) }

    package func unwrapRSAOAEP(_ wrappedKey: Data, keyID: String, hash: OAEPHash) throws -> Data {
        guard let handle = rsa[keyID] else { throw OpenSSLKeyOpener.refusal }
        return try handle.unwrap(wrappedKey, hash: hash)
    }

    package func agreeP256(keyID: String, ephemeral: P256PublicKey) throws -> Data {
        try keySet.agreeP256(keyID: keyID, ephemeral: ephemeral)
    }

    static let refusal = WireError(.envelopeUnreadable, "The key cannot be unwrapped.")
}

/// RSA private key of OpenSSL.
private final class RSAKeyHandle: Sendable {
    // Address of an EVP_PKEY. OpenSSL counts references to it atomically and only reads it while decrypting.
    private let address: UInt

    init(pkcs8: Data) throws {
        let key = pkcs8.withUnsafeBytes { bytes -> OpaquePointer? in
            var cursor = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
        }
        guard let key else {
            throw StudyKeyError(code: "key-file-unreadable", message: "OpenSSL does not read the RSA private key.")
        }
        address = UInt(bitPattern: key)
    }

    deinit { EVP_PKEY_free(OpaquePointer(bitPattern: address)) }

    /// Decrypts with RSAES-OAEP and MGF1 of the same hash (RFC 8017 section 7.1).
    func unwrap(_ wrapped: Data, hash: OAEPHash) throws -> Data {
        guard let context = EVP_PKEY_CTX_new(OpaquePointer(bitPattern: address), nil) else {
            throw OpenSSLKeyOpener.refusal
        }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        let digest = hash == .sha1 ? EVP_sha1() : EVP_sha256()
        guard EVP_PKEY_decrypt_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) == 1,
            EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
        else { throw OpenSSLKeyOpener.refusal }
        let input = Array(wrapped)
        var length = 0
        guard EVP_PKEY_decrypt(context, nil, &length, input, input.count) == 1 else { throw OpenSSLKeyOpener.refusal }
        var output = [UInt8](repeating: 0, count: length)
        guard EVP_PKEY_decrypt(context, &output, &length, input, input.count) == 1 else {
            throw OpenSSLKeyOpener.refusal
        }
        return Data(output.prefix(length))
    }
}
