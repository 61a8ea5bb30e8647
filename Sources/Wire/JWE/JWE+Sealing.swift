import Core
import Crypto
import Foundation

extension JWE {
    /// Seals a payload with a new content key and initialisation vector (RFC 7516 section 5.1).
    ///
    /// For one recipient, the JWE is flattened, with all members in the protected header. For several, it is general,
    /// and each has its own header, because `alg`, `kid` and `epk` differ.
    /// - Parameters:
    ///   - names: further members of the protected header, in this order.
    /// - Returns: the JSON text.
    static func seal(
        _ payload: Data, protecting names: [JSONObject.Member], to recipients: [PublicKey]
    ) throws(WireError) -> Data {
        guard (1...maximumRecipients).contains(recipients.count) else {
            throw WireError(.recipientsInvalid, "An envelope needs 1 to \(maximumRecipients) recipients.")
        }
        let contentKey = SymmetricKey(size: .bits256)
        let wrapped = try recipients.map { recipient throws(WireError) in try wrap(contentKey, for: recipient) }
        let encryption = JSONObject.Member(key: "enc", value: .string("A256GCM"))
        let single = wrapped.count == 1 ? wrapped.first : nil
        let header = JSON([encryption] + (single?.header ?? []) + names)
        let protected = header.data().base64URL
        let box: AES.GCM.SealedBox
        do {
            box = try AES.GCM.seal(payload, using: contentKey, authenticating: Data(protected.utf8))
        } catch { throw .sealingFailed }

        var members = [JSONObject.Member(key: "protected", value: .string(protected))]
        if let single {
            members.append(.init(key: "encrypted_key", value: .string(single.encryptedKey.base64URL)))
        } else {
            let list = wrapped.map { recipient in
                JSON([
                    .init(key: "header", value: JSON(recipient.header)),
                    .init(key: "encrypted_key", value: .string(recipient.encryptedKey.base64URL)),
                ])
            }
            members.append(.init(key: "recipients", value: .array(list)))
        }
        members.append(.init(key: "iv", value: .string(Data(box.nonce).base64URL)))
        members.append(.init(key: "ciphertext", value: .string(box.ciphertext.base64URL)))
        members.append(.init(key: "tag", value: .string(box.tag.base64URL)))
        return JSON(members).data()
    }

    private static func wrap(
        _ contentKey: SymmetricKey, for recipient: PublicKey
    ) throws(WireError) -> (header: [JSONObject.Member], encryptedKey: Data) {
        var header: [JSONObject.Member] = [
            .init(key: "alg", value: .string(recipient.keyManagement.rawValue)),
            .init(key: "kid", value: .string(recipient.keyID)),
        ]
        switch recipient {
        case .rsa(let key):
            return (header, try key.wrap(contentKey, hash: .sha256))
        case .p256(let key):
            // A new key for every recipient of every envelope: the agreed secret wraps one content key once.
            let ephemeral = P256.KeyAgreement.PrivateKey()
            let secret = try P256PrivateKey(ephemeral).agree(with: key)
            let wrappingKey = ConcatKDF.derive(
                secret: secret, algorithm: KeyManagement.ecdhESA256KW.rawValue, partyU: Data(), partyV: Data())
            let point = try P256PublicKey(x963: ephemeral.publicKey.x963Representation)
            let members = PublicKey.ellipticMembers(point).map { JSONObject.Member(key: $0.0, value: .string($0.1)) }
            header.append(.init(key: "epk", value: JSON(members)))
            do { return (header, try AES.KeyWrap.wrap(contentKey, using: wrappingKey)) } catch { throw .sealingFailed }
        }
    }
}
