import AccessPolicy
import Core
import Foundation
import Identity

/// The answer of the token endpoint (RFC 6749 section 5.1, with what SMART adds).
struct TokenAnswer {
    let tokens: IssuedTokens
    let addresses: AuthorizationAddresses
    let key: SigningKey?
    let now: Date

    func json() throws -> JSON {
        let seconds = max(0, Int(tokens.expiresAt.timeIntervalSince(now).rounded(.down)))
        var members: [JSONObject.Member] = [
            .init(key: "access_token", value: .string(tokens.accessToken)),
            .init(key: "token_type", value: "Bearer"),
            .init(key: "expires_in", value: .number(JSONNumber(seconds))),
            .init(key: "scope", value: .string(tokens.scopes.text)),
        ]
        if let refresh = tokens.refreshToken { members.append(.init(key: "refresh_token", value: .string(refresh))) }
        if let patient = tokens.authorization.patient {
            members.append(.init(key: "patient", value: .string(patient)))
        }
        if tokens.scopes.contains(.openID), let account = tokens.account, let key {
            members.append(.init(key: "id_token", value: .string(try key.token(claims(of: account)))))
        }
        return JSON(members)
    }

    /// Returns the claims of OpenID Connect Core 1.0 section 2, with SMART's `fhirUser`.
    private func claims(of account: UserAccount) -> JSON {
        func seconds(_ date: Date) -> JSON { .number(JSONNumber(Int(date.timeIntervalSince1970.rounded(.down)))) }
        var members: [JSONObject.Member] = [
            .init(key: "iss", value: .string(addresses.base)), .init(key: "sub", value: .string(account.id)),
            .init(key: "aud", value: .string(tokens.authorization.clientID)),
            .init(key: "iat", value: seconds(now)), .init(key: "exp", value: seconds(tokens.expiresAt)),
        ]
        if let at = tokens.authorization.authenticatedAt { members.append(.init(key: "auth_time", value: seconds(at))) }
        if let nonce = tokens.nonce { members.append(.init(key: "nonce", value: .string(nonce))) }
        if let user = account.fhirUser(addresses, tokens.scopes) {
            members.append(.init(key: "fhirUser", value: .string(user)))
        }
        return JSON(members)
    }
}

extension UserAccount {
    /// Returns the address of the resource that represents the person, if the app may know it.
    func fhirUser(_ addresses: AuthorizationAddresses, _ scopes: AccessScopes) -> String? {
        guard scopes.contains(.fhirUser) || scopes.contains(.profile) else { return nil }
        return resource.map { addresses.fhir + "/" + $0 }
    }
}
