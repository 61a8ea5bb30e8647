import Core
import DeviceSystem
import Foundation
import ResearchResults

extension AccountClient {
    /// Removes all local copies and ends the session on the server (CMHealth: `logoutWithCompletion:`).
    ///
    /// The copies are removed first, so the next user of the phone finds nothing even if the server cannot be reached. A
    /// session that the server did not end ends by itself: its tokens are removed.
    ///
    /// - Returns: whether the server ended a session.
    /// - Throws: `DeviceStorageError` if a copy could not be removed; the session is ended in any case.
    @discardableResult
    public func logout() async throws -> Bool {
        let last: AccountSession?
        if let known = unsaved ?? session { last = known } else { last = try? store.session() }
        var failure: (any Error)?
        do {
            try await forget()
        } catch {
            failure = error
        }
        let isEnded = if let last { await endOnServer(last) } else { false }
        if let failure { throw failure }
        return isEnded
    }

    /// Requests the deletion of the account, and removes all local copies. The server deletes the data soon afterwards, and
    /// ends all sessions at once.
    ///
    /// - Throws: as ``AccountClient`` describes; 710 for a wrong password.
    public func deleteAccount(password: String) async throws {
        _ = try await send(
            AccountRequest("POST", path: "me/deletion", json: ["password": .string(password)], kind: .credentials))
        try await forget()
    }

    /// Removes all local copies.
    private func forget() async throws {
        // Requests in progress find no session when they store something.
        (session, unsaved) = (nil, nil)
        defer { signedOut() }
        try await store.locked { try $0.erase() }
    }

    /// Ends a session on the server. Its access token may have ended; then it is renewed once and not stored.
    ///
    /// - Returns: whether the server ended it.
    @discardableResult
    func endOnServer(_ session: AccountSession) async -> Bool {
        let request = AccountRequest("DELETE", path: "sessions/current", kind: .account)
        if !session.isDue(now: now()) {
            do {
                _ = try await send(request, authorization: session)
                return true
            } catch {
                guard (error as? AccountClientError)?.status == 401 else { return false }
            }
        }
        guard let renewed = try? await refreshed(session) else { return false }
        return (try? await send(request, authorization: renewed)) != nil
    }
}
