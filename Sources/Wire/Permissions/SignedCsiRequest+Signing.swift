import Core
import Foundation

extension SignedCsiRequest {
    /// Signs a call.
    ///
    /// - Parameters:
    ///   - csi: the caller; for a registration the guid that the server issued.
    ///   - time: the time of the server, to whole seconds.
    ///   - nonce: 16 to 64 random letters, digits and `-`, used once.
    ///   - version: version 1 is for servers that do not have version 2.
    ///   - key: the key of the csi; for a registration the new one.
    ///   - newKey: the new key of ``CsiCall/rotateKey(_:)``.
    /// - Throws: ``PermissionError`` for a field that breaks a rule, and `key_mismatch` if a key is not the one that the
    ///   call names; the errors of the key.
    public init(
        signing call: CsiCall, csi: CsiGuid, time: CsiInstant, nonce: String, version: CsiSignatureVersion = .v2,
        key: some DeviceSigning, newKey: (any DeviceSigning)? = nil
    ) throws {
        switch call {
        case .register(let registration):
            guard registration.key == key.publicKey else { throw Self.otherKey }
        case .rotateKey(let new):
            guard newKey?.publicKey == new else { throw Self.otherKey }
        default: break
        }
        // 1. The body without signatures, and the text over it.
        var body = JSON(
            call.members + [
                .init(key: call.path.cipherField, value: .string(Self.cipher)),
                .init(key: Field.csi, value: .string(csi.text)), .init(key: Field.time, value: .string(time.text)),
                .init(key: Field.nonce, value: .string(nonce)),
            ])
        let text: String
        switch version {
        case .v1:
            guard let payload = call.version1Payload(csi: csi, time: time, nonce: nonce) else {
                throw PermissionError(.malformed, "The call exists in version 2 only.")
            }
            text = payload
        case .v2:
            body[Field.version] = .string(version.rawValue)
            text = try Self.version2Text(path: call.path, csi: csi, body: body, time: time, nonce: nonce)
        }
        // 2. The signatures.
        let bytes = Data(text.utf8)
        if let newKey {
            let proof = try newKey.derSignature(of: bytes)
            body[Field.proof] = .string(proof.base64EncodedString())
        }
        let signature = try key.derSignature(of: bytes)
        body[Field.signature] = .string(signature.base64EncodedString())
        // 3. The rules of the reader are those of the writer.
        try self.init(reading: body.data(), path: call.path)
        guard self.call == call, signedText == text else {
            throw PermissionError(.malformed, "The call cannot be expressed in this version.")
        }
    }

    private static let otherKey = PermissionError(.keyMismatch, "The key is not the one that the call names.")
}
