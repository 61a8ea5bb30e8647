import Crypto
import CryptoExtras
import Foundation

extension C3PROEnvelope {
    /// The initialisation vector of every C3-PRO message.
    private static var zeroVector: AES._CBC.IV {
        get throws { try AES._CBC.IV(ivBytes: [UInt8](repeating: 0, count: 16)) }
    }

    /// Seals a payload with a fresh AES-256 key.
    /// - Parameters:
    ///   - recipient: the receiver's RSA key.
    /// - keyID: the key's name in the envelope; by default the key's thumbprint.
    ///   - version: the FHIR version of the payload.
    public static func seal(
        _ payload: Data, to recipient: RSAPublicKey, keyID: String? = nil, version: String = "1.0.2"
    ) throws(WireError) -> C3PROEnvelope {
        let key = SymmetricKey(size: .bits256)
        return C3PROEnvelope(
            keyID: keyID ?? recipient.keyID,
            symmetricKey: try recipient.wrap(key, hash: .sha1).base64EncodedString(),
            message: try encrypt(payload, with: key).base64EncodedString(), version: version)
    }

    /// Opens the message. The key that the envelope names is tried first, then every other RSA key. Throws
    /// `envelope-unreadable` for a wrong key, a damaged or truncated text and bad padding alike.
    /// - Returns: the payload and the id of the key that opened it.
    public func open(with opener: some EnvelopeKeyOpener) throws(WireError) -> (payload: Data, keyID: String) {
        guard let wrapped = Data(mimeBase64: symmetricKey), let ciphertext = Data(mimeBase64: message) else {
            throw WireError.unreadable
        }
        for keyID in opener.candidates(of: .rsa, named: keyID) {
            guard let key = try? opener.unwrapRSAOAEP(wrapped, keyID: keyID, hash: .sha1),
                let payload = try? Self.decrypt(ciphertext, with: SymmetricKey(data: key))
            else { continue }
            return (payload, keyID)
        }
        throw WireError.unreadable
    }

    /// Encrypts with AES-CBC, the zero vector and PKCS#7 padding.
    static func encrypt(_ payload: Data, with key: SymmetricKey) throws(WireError) -> Data {
        do { return try AES._CBC.encrypt(payload, using: key, iv: zeroVector) } catch { throw .sealingFailed }
    }

    /// Decrypts what ``encrypt(_:with:)`` wrote. The key may have 128, 192 or 256 bits: C3-PRO's own server generated
    /// keys of 128 bits.
    static func decrypt(_ ciphertext: Data, with key: SymmetricKey) throws -> Data {
        try AES._CBC.decrypt(ciphertext, using: key, iv: zeroVector)
    }
}
