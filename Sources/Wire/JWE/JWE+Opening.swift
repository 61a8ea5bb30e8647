import Crypto
import Foundation

extension JWE {
    /// Opens the content with the first key that fits. Returns the plaintext and the id of that key. Throws only
    /// `envelope-unreadable`.
    func open(with opener: some EnvelopeKeyOpener) throws(WireError) -> (payload: Data, keyID: String) {
        for (recipient, keyID) in attempts(with: opener) {
            guard let contentKey = try? contentKey(recipient, keyID: keyID, opener: opener), contentKey.bitCount == 256,
                let payload = try? decrypt(with: contentKey)
            else { continue }
            return (payload, keyID)
        }
        throw WireError.unreadable
    }

    /// Recipients with candidate keys; recipients that name one of our keys come first, so that an envelope for several
    /// organizations costs one private-key operation.
    private func attempts(with opener: some EnvelopeKeyOpener) -> [(Recipient, String)] {
        let pairs = recipients.flatMap { recipient in
            let kind: KeyKind = recipient.management == .rsaOAEP256 ? .rsa : .p256
            return opener.candidates(of: kind, named: recipient.keyID).map { (recipient, $0) }
        }
        return pairs.filter { $0.0.keyID == $0.1 } + pairs.filter { $0.0.keyID != $0.1 }
    }

    private func contentKey(_ recipient: Recipient, keyID: String, opener: some EnvelopeKeyOpener) throws
        -> SymmetricKey
    {
        switch recipient.management {
        case .rsaOAEP256:
            return SymmetricKey(
                data: try opener.unwrapRSAOAEP(recipient.encryptedKey, keyID: keyID, hash: .sha256))
        case .ecdhESA256KW:
            guard let ephemeral = recipient.ephemeral else { throw WireError.unreadable }
            let wrappingKey = ConcatKDF.derive(
                secret: try opener.agreeP256(keyID: keyID, ephemeral: ephemeral),
                algorithm: recipient.management.rawValue, partyU: recipient.partyU, partyV: recipient.partyV)
            return try AES.KeyWrap.unwrap(recipient.encryptedKey, using: wrappingKey)
        }
    }

    /// RFC 7516 section 5.2 steps 14 to 16.
    func decrypt(with contentKey: SymmetricKey) throws -> Data {
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: initializationVector), ciphertext: ciphertext, tag: tag)
        return try AES.GCM.open(box, using: contentKey, authenticating: authenticatedData)
    }
}
