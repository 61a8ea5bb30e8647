import Core
import Foundation
import ResearchResults

extension AccountClient {
    /// Requests a mail with a code for a new password (CMHealth: `resetPasswordForAccountWithEmail:`).
    ///
    /// It needs no session. The server answers in the same way for an unknown address.
    public func requestPasswordReset(email: String) async throws {
        let address = try EmailAddress(email)
        _ = try await sendUnsigned(
            AccountRequest("POST", path: "password-resets", json: ["email": .string(address.text)], kind: .account))
    }

    /// Sets a new password with the code of a mail. All sessions of the account end.
    ///
    /// It needs no session, and does not sign in.
    ///
    /// - Throws: as ``AccountClient`` describes; `code-invalid` if the code is wrong, used or expired.
    public func resetPassword(code: String, newPassword: String) async throws {
        _ = try await sendUnsigned(
            AccountRequest(
                "POST", path: "password-resets/confirm",
                json: ["code": .string(code), "password": .string(newPassword)],
                kind: .signUp))
    }

    /// Confirms the e-mail address with the code of the mail.
    ///
    /// - Throws: as ``AccountClient`` describes; `code-invalid` if the code is wrong, used or expired.
    @discardableResult
    public func verify(code: String) async throws -> AccountHolder {
        _ = try await send(
            AccountRequest("POST", path: "me/verification", json: ["code": .string(code)], kind: .account))
        return try await holder()
    }

    /// Changes the e-mail address, by which the account signs in.
    ///
    /// - Throws: as ``AccountClient`` describes; 710 for a wrong password, 711 if another account has the address.
    @discardableResult
    public func changeEmail(to email: String, password: String) async throws -> AccountHolder {
        let address = try EmailAddress(email)
        _ = try await send(
            AccountRequest(
                "PUT", path: "me/email", json: ["email": .string(address.text), "password": .string(password)],
                kind: .credentials))
        return try await holder()
    }

    /// Changes the password.
    ///
    /// - Throws: as ``AccountClient`` describes; 710 for a wrong password.
    public func changePassword(_ password: String, to newPassword: String) async throws {
        _ = try await send(
            AccountRequest(
                "PUT", path: "me/password",
                json: ["password": .string(password), "newPassword": .string(newPassword)], kind: .credentials))
    }

    /// Sets whether roles may read the data of the account.
    @discardableResult
    public func setSharing(_ isSharing: Bool) async throws -> AccountHolder {
        _ = try await send(
            AccountRequest("PUT", path: "me/sharing", json: ["sharing": .bool(isSharing)], kind: .account))
        return try await holder()
    }

    /// Reads who may read the data of the account, and who has read them.
    public func access() async throws -> AccountAccess {
        let response = try await send(AccountRequest("GET", path: "me/access", kind: .fetch))
        guard let access = AccountAccess(json: try json(response)) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return access
    }
}

/// The accounts that may read the data of an account, and those that have read them.
public struct AccountAccess: Sendable, Hashable {
    /// An account with a role.
    public struct Reader: Sendable, Hashable {
        /// The id of the reader's account.
        public let account: String
        /// The role, such as `care-team`.
        public let role: String
        /// The end of the role; nil for none.
        public let until: DateTime?
    }

    /// One access.
    public struct Reading: Sendable, Hashable {
        /// The time.
        public let at: DateTime
        /// The id of the reader's account.
        public let account: String
        /// The data that were read, such as `results`.
        public let what: String
    }

    /// The accounts that may read.
    public let mayRead: [Reader]
    /// The accesses.
    public let read: [Reading]

    /// Reads the body of `GET me/access`; nil if it is none.
    init?(json: JSON) {
        guard let mayRead = json["mayRead"]?.array, let read = json["read"]?.array else { return nil }
        var readers: [Reader] = []
        for value in mayRead {
            guard let account = value["account"]?.string, let role = value["role"]?.string else { return nil }
            let until = value.present("until")
            guard until == nil || until?.string.flatMap({ DateTime($0) }) != nil else { return nil }
            readers.append(Reader(account: account, role: role, until: until?.string.flatMap { DateTime($0) }))
        }
        var accesses: [Reading] = []
        for value in read {
            guard let at = value["at"]?.string.flatMap({ DateTime($0) }), let account = value["account"]?.string,
                let what = value["what"]?.string
            else { return nil }
            accesses.append(Reading(at: at, account: account, what: what))
        }
        (self.mayRead, self.read) = (readers, accesses)
    }

    /// `{mayRead:[{account,role,until}],read:[{at,account,what}]}`.
    public var json: JSON {
        [
            "mayRead": .array(
                mayRead.map {
                    [
                        "account": .string($0.account), "role": .string($0.role),
                        "until": $0.until.map { .string($0.text) } ?? .null,
                    ]
                }),
            "read": .array(
                read.map { ["at": .string($0.at.text), "account": .string($0.account), "what": .string($0.what)] }),
        ]
    }
}
