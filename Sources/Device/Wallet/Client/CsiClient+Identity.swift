import Core
import Foundation
import Wire

extension CsiClient {
    /// Registers this csi, and returns its guid. A csi that is registered with the same device id is returned.
    ///
    /// Identity and key are durable before they are sent. If the answer is lost, the next call completes the
    /// registration: the server answers that the guid exists, and its key is tried.
    ///
    /// - Parameters:
    ///   - applicationClass: the name of the app, which the wallet shows.
    ///   - deviceID: the id of the device; an app takes it from the wallet.
    ///   - claims: the claims about the person; values are accepted only by a study with identified records.
    /// - Throws: ``WalletError`` `registered-already` for another device id, and the errors of a request.
    @discardableResult
    public func register(
        applicationClass: String, deviceID: String, claims: PublicClaims = PublicClaims()
    ) async throws -> CsiGuid {
        let lock = try await store.lock()
        defer { withExtendedLifetime(lock) {} }
        // 1. An earlier registration whose answer is known, or may be lost.
        if let stored = try storedIdentity() {
            if stored.isConfirmed {
                guard stored.deviceID == deviceID else { throw WalletError(.registeredAlready) }
                return stored.csi
            }
            if let key = try store.key(.current), try await isRegistered(stored.csi, key: key) {
                try confirm(stored)
                guard stored.deviceID == deviceID else { throw WalletError(.registeredAlready) }
                return stored.csi
            }
        }
        // 2. A new guid and a new key, durable before they are sent.
        let issued = try await get(.getGloballyUniqueIdentifier)
        guard let guid = NewGuidAnswer(json: issued)?.guid else { throw WalletError(.answerInvalid) }
        let key = try P256SigningKey()
        let identity = CsiFolder.Identity(
            server: server.url.absoluteString, csi: guid, deviceID: deviceID, isConfirmed: false)
        try store.erase()
        try store.save(key, as: .current)
        try store.save(identity)
        // 3. The registration.
        let registration = CsiRegistration(
            applicationClass: applicationClass, deviceID: deviceID, claims: claims, key: key.publicKey)
        let answer = try await send(.register(registration), as: guid, key: key)
        guard CsiAnswer(json: answer)?.csi == guid else { throw WalletError(.answerInvalid) }
        try confirm(identity)
        return guid
    }

    private func confirm(_ identity: CsiFolder.Identity) throws {
        var identity = identity
        identity.isConfirmed = true
        try store.save(identity)
    }

    /// Whether the server knows the csi with this key.
    private func isRegistered(_ csi: CsiGuid, key: P256SigningKey) async throws -> Bool {
        do {
            _ = try await send(.fetchReceived, as: csi, key: key)
            return true
        } catch let error as WalletError where error.status == 401 || error.status == 410 {
            return false
        }
    }

    /// Binds this wallet to a Patient by a one-time code, and returns `Patient/ID`.
    @discardableResult
    public func bind(code: String) async throws -> String {
        let answer = try await send(.bind(code: code))
        guard let patient = CsiAnswer(json: answer)?.patient else { throw WalletError(.answerInvalid) }
        return patient
    }

    /// Replaces the key of this csi. Permissions and tokens remain. If the answer is lost, the next call finds out which
    /// key the server knows.
    public func rotateKey() async throws {
        let lock = try await store.lock()
        defer { withExtendedLifetime(lock) {} }
        guard let identity = try storedIdentity(), identity.isConfirmed else { throw WalletError(.notRegistered) }
        // 1. A new key of an earlier call may be in use.
        if try store.key(.next) != nil { _ = try await send(.fetchReceived) }
        guard let key = try store.key(.current) else { throw WalletError(.notRegistered) }
        // 2. The new key is durable before it is sent.
        let next = try P256SigningKey()
        try store.save(next, as: .next)
        let answer = try await send(.rotateKey(next.publicKey), as: identity.csi, key: key, newKey: next)
        guard CsiAnswer(json: answer)?.csi == identity.csi else { throw WalletError(.answerInvalid) }
        try store.promote(next)
    }

    /// Ends a csi: this one, or for a wallet a csi of its device.
    public func revoke(_ csi: CsiGuid) async throws {
        let answer = try await send(.revoke(csi))
        guard CsiAnswer(json: answer) != nil else { throw WalletError(.answerInvalid) }
    }

    /// Returns the claims of a csi, and its name if the server reports it.
    public func claims(of csi: CsiGuid) async throws -> ClaimsAnswer {
        let answer = try await send(.fetchClaims(of: csi))
        guard let claims = ClaimsAnswer(json: answer) else { throw WalletError(.answerInvalid) }
        return claims
    }
}
