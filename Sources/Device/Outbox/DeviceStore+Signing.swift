import Foundation
import Wire

extension DeviceStore {
    /// Returns the key with which this device signs its submissions, and creates it if there is none.
    ///
    /// On Apple's systems the key is in the Secure Enclave if there is one; otherwise it is stored with the device's
    /// secrets. It is kept when the device enrols again.
    ///
    /// - Throws: ``OutboxError`` if the secrets cannot be read or written; `WireError` `key-malformed` if the key is
    ///   damaged; errors of the Secure Enclave.
    public func signingKey() throws -> any DeviceSigning {
        // Two processes that start at the same time must not create two keys.
        let lock = try outbox.changingLock()
        defer { withExtendedLifetime(lock) {} }
        #if canImport(Security)
            if let representation = try secrets.secret(named: Self.enclaveKeyName) {
                return try SecureEnclaveKey(dataRepresentation: representation)
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

    /// Returns the public key as a JWK, which the Contract must contain (`ConsentSession.Signing.deviceKey`); `nil` if
    /// nothing is signed. Throws as ``signer()``.
    public func deviceKey() throws -> String? {
        try signer().map { String(decoding: $0.key.publicKey.signingJWK, as: UTF8.self) }
    }

    /// Returns the signer of this device's submissions; `nil` if the study's published keys do not name the study, as
    /// with older servers. Submissions are then unsigned.
    ///
    /// - Throws: ``OutboxError`` `not-enrolled`, and errors of ``signingKey()``.
    public func signer() throws -> SubmissionSigner? {
        guard let study = try enrolment().studyID else { return nil }
        return SubmissionSigner(key: try signingKey(), study: study)
    }

    private static let signingKeyName = "signing-key"
    #if canImport(Security)
        private static let enclaveKeyName = "signing-key.enclave"
    #endif
}
