import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults

extension AccountClient {
    /// Returns a session with an access token that is valid and was not rejected. Concurrent calls share one renewal.
    ///
    /// - Parameter rejected: the session that the server rejected; nil for none. The result is of the same account.
    /// - Throws: ``AccountClientError`` 708 without a session; the errors of a renewal.
    func currentSession(rejecting rejected: AccountSession? = nil) async throws -> AccountSession {
        if let unsaved { try await keep(unsaved, replacing: session) }
        guard let session, rejected == nil || rejected?.account == session.account else {
            throw AccountClientError(.userNotLoggedIn)
        }
        if session.accessToken != rejected?.accessToken, !session.isDue(now: now()) { return session }
        if let renewal { return try await renewal.value }
        // The task belongs to all callers: the cancellation of one does not end it.
        let task = Task { try await renew(session) }
        renewal = task
        return try await task.value
    }

    /// Renews a session: the refresh token is used, and the new tokens are made durable.
    private func renew(_ session: AccountSession) async throws -> AccountSession {
        defer { renewal = nil }
        // 1. Another process with this folder may have renewed the session already, or ended it.
        let lock = try await store.lock(of: "refresh")
        defer { withExtendedLifetime(lock) {} }
        guard let stored = try store.session(), stored.account == session.account else {
            if self.session == session { signedOut() }
            throw AccountClientError(.userNotLoggedIn)
        }
        if self.session == session { self.session = stored }
        if stored != session, !stored.isDue(now: now()) { return stored }
        // 2. The tokens are rotated. If the answer is lost, the same refresh token is used again.
        let renewed: AccountSession
        do {
            renewed = try await refreshed(stored)
        } catch let error as AccountClientError where error.status == 401 {
            try await end(stored)
            throw AccountClientError(.userNotLoggedIn, status: 401)
        }
        // 3. A logout or another login during the request has the last word.
        guard self.session == stored else {
            throw AccountClientError(.userNotLoggedIn)
        }
        try await keep(renewed, replacing: stored)
        return renewed
    }

    /// Sends a refresh token and returns the new session. It stores nothing.
    func refreshed(_ session: AccountSession) async throws -> AccountSession {
        let response = try await sendUnsigned(
            AccountRequest(
                "POST", path: "sessions/refresh", json: ["refreshToken": .string(session.refreshToken)], kind: .account)
        )
        guard let renewed = AccountSession(answer: try json(response), now: now()),
            renewed.account == session.account
        else { throw AccountClientError(.invalidResponse, status: response.status) }
        return renewed
    }

    /// Makes a renewed session durable, then uses it. If it cannot be stored, it is stored before its next use.
    ///
    /// - Parameter former: the session that it replaces; the stored one must be this one.
    func keep(_ renewed: AccountSession, replacing former: AccountSession?) async throws {
        unsaved = renewed
        let isCurrent = try await store.locked { store in
            let stored = try store.session()
            if stored == renewed { return true }
            guard let stored, stored == former else { return false }
            try store.save(renewed)
            return true
        }
        // The account may have signed out while this call waited for the lock.
        guard unsaved == renewed || session == renewed else { throw AccountClientError(.userNotLoggedIn) }
        unsaved = nil
        if isCurrent {
            session = renewed
        } else {
            // Another process renewed or ended the session.
            session = try store.session()
            if session == nil { signedOut() }
        }
    }

    /// Removes a session that the server has ended. The other copies stay for a login with the same account.
    private func end(_ session: AccountSession) async throws {
        let isRemoved = try await store.locked { store in
            guard try store.session() == session else { return false }
            try store.removeSession()
            return true
        }
        if try isRemoved || store.session() == nil { signedOut() }
    }

    /// Forgets the session in memory.
    func signedOut() {
        session = nil
        unsaved = nil
        become(.signedOut)
    }
}
