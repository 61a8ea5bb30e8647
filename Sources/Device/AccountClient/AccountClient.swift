import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults

/// The account of the phone's user at one server: sign-up, profile, consents, results, and the patients of a team.
///
/// ```swift
/// let client = try AccountClient(server: server, folder: folder)
/// try await client.login(email: "ann@example.org", password: password)
/// for await state in await client.states() { show(state.profile?.givenName ?? "") }
/// ```
/// The session is stored as a secret, and is renewed automatically: shortly before its access token ends, and once after
/// an answer 401. Concurrent calls share one renewal. The new tokens are durable before they are used. If the phone loses
/// the answer with them, the previous refresh token remains valid for 60 s. When a session has ended, calls throw
/// `CMHealthError` 708 as an ``AccountClientError``, and the state is ``AccountState/signedOut``.
///
/// ``logout()`` removes all local copies. ``login(email:password:)`` with the account that the folder had before keeps
/// them; another account starts with none.
///
/// Calls throw ``AccountClientError``; the errors of the checks (`EmailAddressError`, `ResearchResultError`,
/// `ResultFilterError`, `CMHealthError`), then nothing was sent; `DeviceStorageError`; `CancellationError`. All but the
/// last two have CMHealth's number (`CMHealthCoded`).
public actor AccountClient {
    /// The server.
    public nonisolated let server: AccountServer
    /// The limits of answers.
    public nonisolated let limits: AccountLimits
    let store: AccountFolder
    let transport: any Transport
    nonisolated let now: @Sendable () -> Date

    /// The session in memory; nil if no account is signed in.
    var session: AccountSession?
    /// A renewed session that could not be made durable. It is saved before its next use.
    var unsaved: AccountSession?
    /// The renewal in progress.
    var renewal: Task<AccountSession, any Error>?
    /// The state of the phone's user. It is read from the folder at first, so no request is needed.
    public private(set) var state: AccountState
    private var observers: [Int: AsyncStream<AccountState>.Continuation] = [:]
    private var lastObserver = 0

    /// Opens the folder of an account, which is created with mode 0700 if it does not exist. It sends nothing.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - folder: the folder of the local copies.
    ///   - secrets: stores the session; nil for a file in the folder. On a phone use `KeychainSecrets`.
    ///   - transport: sends the requests. Its time limit is longer than the 30 s for which a server may wait for news.
    ///   - files: the file system.
    ///   - limits: the limits of answers.
    ///   - now: returns the current time.
    /// - Throws: `DeviceStorageError`.
    public init(
        server: AccountServer, folder: URL, secrets: (any SecretStore)? = nil,
        transport: any Transport = URLSessionTransport(timeout: 60), files: any DurableFiles = PosixFiles(),
        limits: AccountLimits = AccountLimits(), now: @escaping @Sendable () -> Date = { Date() }
    ) throws(DeviceStorageError) {
        self.server = server
        self.limits = limits
        self.transport = transport
        self.now = now
        try files.makeFolder(folder)
        store = AccountFolder(folder: folder, secrets: secrets, files: files)
        state = .signedOut
        // A session of another server is not used, and not removed either: the app may return to that server.
        if let holder = try store.holder(), holder.server.url == server.url, let stored = try store.session() {
            session = stored
            state = .signedIn(holder.holder, profile: try store.profile(of: holder.holder.account)?.profile)
        }
    }

    /// The current state, then each change: signed in, profile, signed out.
    ///
    /// ```swift
    /// for await state in await client.states() { show(state) }
    /// ```
    /// The sequence ends when its task is cancelled. A slow reader may miss states before the latest 64.
    public func states() -> AsyncStream<AccountState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AccountState.self, bufferingPolicy: .bufferingNewest(64))
        lastObserver += 1
        let observer = lastObserver
        observers[observer] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.removeObserver(observer) } }
        continuation.yield(state)
        return stream
    }

    /// The account whose local copies the folder has; nil for none. It may be signed out. It needs no network.
    public nonisolated func storedHolder() throws(DeviceStorageError) -> AccountHolder? { try store.holder()?.holder }

    /// The folder of the care plans on this device. ``logout()`` and the login of another account remove the files in it;
    /// close the stores before. It may not exist.
    public nonisolated var plansFolder: URL { store.plansFolder }

    private func removeObserver(_ observer: Int) { observers[observer] = nil }

    /// Sets the state and passes a change on.
    func become(_ new: AccountState) {
        guard new != state else { return }
        state = new
        for observer in observers.values { observer.yield(new) }
    }

    deinit { for observer in observers.values { observer.finish() } }
}
