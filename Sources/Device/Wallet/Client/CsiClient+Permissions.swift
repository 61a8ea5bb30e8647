import Core
import Foundation
import HTTPTransport
import Wire

extension CsiClient {
    /// Creates a permission for each grantee, and returns their ids in the order of the grantees.
    @discardableResult
    public func grant(_ terms: PermissionTerms) async throws -> [String] {
        let answer = try await send(.grant(terms))
        guard let ids = GrantAnswer(json: answer)?.permissions, ids.count == terms.grantees.count else {
            throw WalletError(.answerInvalid)
        }
        return ids
    }

    /// Ends the permissions that this csi gave to another, and returns their number.
    ///
    /// - Parameter permission: the id of a permission; nil for all.
    @discardableResult
    public func end(_ csi: CsiGuid, permission: String? = nil) async throws -> Int {
        let answer = try await send(.end(csi, permission: permission))
        guard let revoked = EndAnswer(json: answer)?.revoked else { throw WalletError(.answerInvalid) }
        return revoked
    }

    /// Returns the permissions that this csi gave.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func given(all: Bool = false) async throws -> [PermissionRecord] {
        try await permissions(.fetchGiven, all: all)
    }

    /// Returns the permissions that this csi received.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func received(all: Bool = false) async throws -> [PermissionRecord] {
        try await permissions(.fetchReceived, all: all)
    }

    private func permissions(_ call: CsiCall, all: Bool) async throws -> [PermissionRecord] {
        let answer = try await send(call, query: all ? "?all=true" : "")
        guard let list = PermissionsAnswer(json: answer) else { throw WalletError(.answerInvalid) }
        return list.permissions
    }

    /// Returns an access token for the permissions in force.
    ///
    /// - Parameter scope: the requested scope; nil for all access.
    public func token(scope: String? = nil) async throws -> TokenResponse {
        guard let identity = try storedIdentity(), identity.isConfirmed, let key = try store.key(.current) else {
            throw WalletError(.notRegistered)
        }
        do {
            return try await token(scope: scope, as: identity.csi, key: key)
        } catch let error as WalletError where error.refusal == .invalidClient {
            // The clock of the device may have changed, or the answer to a new key may have been lost.
            clock = nil
            let next = try store.key(.next)
            let answer = try await token(scope: scope, as: identity.csi, key: next ?? key)
            if let next { try store.promote(next) }
            return answer
        }
    }

    private func token(scope: String?, as csi: CsiGuid, key: P256SigningKey) async throws -> TokenResponse {
        let time = try await serverTime()
        let form = try CsiTokenRequest.form(
            csi: csi, tokenURL: server.tokenURL, scope: scope, now: time, tokenID: nonce(), key: key)
        let url = try server.url("/oauth2/token")
        let response = try await reach(
            TransportRequest(
                method: "POST", url: url,
                headers: ["Content-Type": CsiTokenRequest.mediaType, "Accept": "application/json"],
                body: Data(form.utf8)))
        guard let token = TokenResponse(reading: response.body) else { throw WalletError(.answerInvalid) }
        return token
    }
}
