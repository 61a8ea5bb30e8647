import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults

extension AccountClient {
    /// Creates an account and signs in, in one request (CMHealth: `signUpWithEmail:password:`).
    ///
    /// The server sends a mail with a code; ``verify(code:)`` accepts it. If the answer is lost, the account may exist: then
    /// ``login(email:password:)`` continues.
    ///
    /// - Parameters:
    ///   - email: the e-mail address.
    ///   - password: the password; the server has the rule of its length.
    ///   - profile: the profile; nil for an empty one.
    ///   - group: the name of the group; nil for the server's first.
    /// - Throws: as the type describes; 711 if another account has the address, 712 for an invalid address or password.
    @discardableResult
    public func signUp(
        email: String, password: String, profile: AccountProfile? = nil, group: String? = nil
    ) async throws -> AccountHolder {
        let address = try EmailAddress(email)
        guard !password.isEmpty else { throw CMHealthError.invalidUserRequest }
        var body: JSON = ["email": .string(address.text), "password": .string(password)]
        body["profile"] = profile?.json
        body["group"] = group.map { .string($0) }
        return try await begin(AccountRequest("POST", path: "accounts", json: body, kind: .signUp), email: address.text)
    }

    /// Creates an account from the registration in a task result, at any depth (CMHealth: `signUpWithRegistration:`).
    ///
    /// Names, gender and date of birth become members of the profile.
    ///
    /// - Throws: as ``signUp(email:password:profile:group:)``; `CMHealthError` 701 if the result has no registration, before
    ///   anything is sent.
    @discardableResult
    public func signUp(registration result: JSON, group: String? = nil) async throws -> AccountHolder {
        let registration = try AccountRegistration(in: result)
        return try await signUp(
            email: registration.email, password: registration.password, profile: AccountProfile(registration),
            group: group)
    }

    /// Signs in (CMHealth: `loginWithEmail:password:`), and reads the account and its profile.
    ///
    /// The local copies stay if the folder had the same account before. Otherwise they are removed. A session that the
    /// phone had is ended.
    ///
    /// - Throws: as the type describes; 710 if the address or the password is wrong. If the account cannot be read after
    ///   the login, this is no error.
    @discardableResult
    public func login(email: String, password: String) async throws -> AccountHolder {
        let address = try EmailAddress(email)
        guard !password.isEmpty else { throw CMHealthError.invalidCredentials }
        let body: JSON = ["email": .string(address.text), "password": .string(password)]
        return try await begin(AccountRequest("POST", path: "sessions", json: body, kind: .signIn), email: address.text)
    }

    /// Continues the stored session (CMHealth's automatic login): renews it if necessary, and reads the account and its
    /// profile.
    ///
    /// - Returns: the state; ``AccountState/signedOut`` if no session is stored or it has ended.
    /// - Throws: as the type describes; if the server cannot be reached, the account stays signed in.
    @discardableResult
    public func resume() async throws -> AccountState {
        do {
            _ = try await holder()
            _ = try await profile()
        } catch let error as AccountClientError where error.cmhealth == .userNotLoggedIn {}
        return state
    }

    /// Reads the account: its groups, whether it is verified, and whether it shares its data.
    @discardableResult
    public func holder() async throws -> AccountHolder {
        let response = try await send(AccountRequest("GET", path: "me", kind: .account))
        guard let holder = AccountHolder(json: try json(response)) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        try await record(holder)
        return holder
    }

    /// Stores the account as the server knows it, unless another one has signed in.
    func record(_ holder: AccountHolder) async throws {
        let server = server
        let isCurrent = try await store.locked { store in
            guard let stored = try store.holder(), stored.holder.account == holder.account else { return false }
            if stored.holder != holder { try store.write(AccountFolder.Holder(holder: holder, server: server)) }
            return true
        }
        guard isCurrent, session?.account == holder.account else { return }
        become(.signedIn(holder, profile: state.profile))
    }

    /// Starts a session.
    private func begin(_ request: AccountRequest, email: String) async throws -> AccountHolder {
        let response = try await sendUnsigned(request)
        guard let new = AccountSession(answer: try json(response), now: now()) else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        let former = unsaved ?? session
        let holder: AccountHolder
        do {
            holder = try await replaceCopies(with: new, email: email)
        } catch {
            await endOnServer(new)
            throw error
        }
        (session, unsaved) = (new, nil)
        become(.signedIn(holder, profile: try? store.profile(of: new.account)?.profile))
        if let former { await endOnServer(former) }
        do {
            _ = try await self.holder()
            _ = try await profile()
        } catch is AccountClientError {
            // The account is signed in. The app reads both when it needs them.
        }
        return state.holder ?? holder
    }

    /// Replaces the local copies by those of a new session: at each instant, they are of one account.
    private func replaceCopies(with new: AccountSession, email: String) async throws -> AccountHolder {
        let server = server
        return try await store.locked { store in
            let stored = try store.holder()
            if let stored, stored.holder.account == new.account, stored.server.url == server.url {
                let holder = AccountHolder(
                    account: new.account, email: email, isVerified: stored.holder.isVerified,
                    groups: stored.holder.groups, isSharing: stored.holder.isSharing)
                try store.write(AccountFolder.Holder(holder: holder, server: server))
                try store.save(new)
                return holder
            }
            try store.erase()
            let holder = AccountHolder(account: new.account, email: email)
            try store.write(AccountFolder.Holder(holder: holder, server: server))
            try store.save(new)
            return holder
        }
    }
}
