import Foundation
import Wire

extension DeviceStore {
    /// Returns the key with which this device signs what it sends, and makes it where there is none yet.
    ///
    /// On Apple's systems it is one of the Secure Enclave where there is one; elsewhere it is kept with the device's
    /// secrets. It stays when the device enrols again.
    ///
    /// - Throws: ``OutboxError`` where the secrets cannot be read or written; `WireError` `key-malformed` where the key is
    ///   damaged; what the Secure Enclave throws.
    public func signingKey() throws -> any DeviceSigning {
        // Two processes that begin together must not make two keys.
        let lock = try outbox.changingLock()
        defer { withExtendedLifetime(lock) {} }
        #if canImport(Security)
            if let kept = try secrets.secret(named: Self.enclaveKeyName) {
                return try SecureEnclaveKey(dataRepresentation: kept)
            }
        #endif
        if let secret = try secrets.secret(named: Self.signingKeyName) {
            return try P256SigningKey(rawRepresentation: secret)
        }
        #if canImport(Security)
            if SecureEnclaveKey.isAvailable {
                let key = try SecureEnclaveKey()
                try secrets.save(key.dataRepresentation, named: Self.enclaveKeyName)
                return key
            }
        #endif
        let key = try P256SigningKey()
        try secrets.save(key.rawRepresentation, named: Self.signingKeyName)
        return key
    }

    /// The public half of the key as a JWK, which the Contract must carry (`ConsentSession.Signing.deviceKey`); `nil`
    /// where nothing is signed. Throws what ``signer()`` throws.
    public func deviceKey() throws -> String? {
        try signer().map { String(decoding: $0.key.publicKey.signingJWK, as: UTF8.self) }
    }

    /// Returns who signs what this device sends; `nil` where the study's published keys do not name the study, as those
    /// of an older server: what is queued then is unsigned.
    ///
    /// - Throws: ``OutboxError`` `not-enrolled`, and what ``signingKey()`` throws.
    public func signer() throws -> SubmissionSigner? {
        guard let study = try enrolment().studyID else { return nil }
        return SubmissionSigner(key: try signingKey(), study: study)
    }

    private static let signingKeyName = "signing-key"
    #if canImport(Security)
        private static let enclaveKeyName = "signing-key.enclave"
    #endif
}
