import Core
import DeviceSystem
import Foundation
import Wire

/// A person's wallet in a folder: its csi, and the state that ``WalletState`` decides.
///
/// ```swift
/// let client = try CsiClient(server: CsiServer("https://study.example"), folder: folder)
/// let wallet = StoredWallet(client: client)
/// try await wallet.register(code: code)
/// ```
/// The state is in `state.json` next to the identity, of mode 0600. Several processes may use one folder. A call that
/// fails can be repeated.
///
/// Calls throw ``WalletError``, `PermissionError`, `DeviceStorageError`, `CancellationError`.
public struct StoredWallet: Sendable {
    /// The client of the wallet's csi.
    public let client: CsiClient
    private let file: StoredState

    /// The name that a wallet registers, if the app gives none.
    public static let defaultName = "Tributary wallet"
    /// Maximum number of names that one call reads from the server.
    private static let nameLimit = 20

    /// The answer to a message.
    public enum Reply: Sendable, Hashable {
        /// The URL of the answer; nil if the wallet answers after its registration.
        case answer(String?)
        /// An app requests a permission, and the person decides.
        case request(WalletState.App)
    }

    /// The result of a grant.
    public struct Decision: Sendable, Hashable {
        /// The id of the permission.
        public let permission: String
        /// The URL of the answer to the app; nil if no message named the scheme of the app.
        public let answer: String?
    }

    /// The result of an end of permissions.
    public struct Ending: Sendable, Hashable {
        /// The number of permissions that ended.
        public let revoked: Int
        /// The URL of the message to the app; nil if the app has another permission, or its scheme is not known.
        public let answer: String?
    }

    /// Opens the wallet in the folder of the client. It sends nothing.
    public init(client: CsiClient) {
        self.client = client
        file = StoredState(client)
    }

    // MARK: - Registration

    /// Registers the wallet, and binds it to a Patient if there is a code. A wallet that is registered stays. A wallet
    /// that the server has ended is registered again, with the same device id.
    ///
    /// - Parameters:
    ///   - name: the name of the wallet, which the server stores.
    ///   - claims: the claims about the person; values are accepted only by a study with identified records.
    ///   - code: the one-time code of the site or of the person's page.
    /// - Returns: the csi, its device id, and the answer to an app that asked before.
    @discardableResult
    public func register(
        name: String = defaultName, claims: PublicClaims = PublicClaims(), code: String? = nil
    ) async throws -> CsiRegistrationResult {
        let lock = try await file.lock()
        defer { withExtendedLifetime(lock) {} }
        var state = try stored() ?? WalletState()
        try file.requireServer(of: client)
        try save(state)
        // 1. An end is found before a new guid is requested.
        if try await client.forgetIfEnded() { _ = state.handle(.ended) }
        // 2. The device keeps its id.
        let identity = try client.storedIdentity()
        let deviceID = identity?.deviceID ?? state.deviceID ?? client.nonce()
        let csi = try await client.register(applicationClass: name, deviceID: deviceID, claims: claims)
        if let code { try await client.bind(code: code) }
        // 3. An answer may be due.
        if state.csi != csi { _ = state.handle(.ended) }
        let open = state.handle(.registered(csi, deviceID: deviceID)).openedURL
        try save(state)
        return CsiRegistrationResult(csi: csi, deviceID: deviceID, open: open)
    }

    /// Replaces the key of the wallet, and returns its csi. Permissions and tokens remain.
    public func rotateKey() async throws -> CsiGuid {
        try await change { state in
            try await client.rotateKey()
            guard let csi = state.csi else { throw WalletError(.notRegistered) }
            return csi
        }
    }

    // MARK: - Messages

    /// Reads a message of an app. It grants nothing.
    ///
    /// - Throws: ``WalletError`` `message-invalid` if the URL is no message to a wallet; `app-limit`.
    public func open(_ url: String) async throws -> Reply {
        guard let message = MessageToWallet(url) else { throw WalletError(.messageInvalid) }
        switch message {
        case .introduction:
            let lock = try await file.lock()
            defer { withExtendedLifetime(lock) {} }
            guard var state = try stored() else { throw WalletError(.notRegistered) }
            let answer = state.handle(.received(message)).openedURL
            try save(state)
            return .answer(answer)
        case .request(let request):
            return try await change { state in
                guard !state.handle(.received(message)).isEmpty else { throw WalletError(.appLimit) }
                let name = try await name(of: request.csi)
                _ = state.handle(.described(request.csi, name: name))
                guard let app = state.app(request.csi) else { throw WalletError(.appLimit) }
                return .request(app)
            }
        }
    }

    /// Returns the name that the server reports; nil if it reports none, or no csi to this wallet.
    private func name(of csi: CsiGuid) async throws -> String? {
        do {
            return try await client.claims(of: csi).applicationClass
        } catch let error as WalletError where error.refusal == .noSuchCsi {
            return nil
        }
    }

    // MARK: - Decisions

    /// Grants a permission to an app, also to one that sent no request.
    public func grant(_ choice: PermissionChoice, to csi: CsiGuid) async throws -> Decision {
        try await change { state in
            let now = try await client.serverTime()
            let terms = try choice.terms(for: csi, requested: state.app(csi)?.request?.scope, now: now)
            let ids = try await client.grant(terms)
            guard let id = ids.first else { throw WalletError(.answerInvalid) }
            return Decision(permission: id, answer: state.handle(.granted([csi])).openedURL)
        }
    }

    /// Refuses the request of an app, and returns the URL of the answer; nil if the scheme of the app is not known. A
    /// permission that was given before stays.
    ///
    /// - Throws: ``WalletError`` `no-request` if the app has no request.
    public func reject(_ csi: CsiGuid) async throws -> String? {
        try await change { state in
            guard state.app(csi)?.request != nil else { throw WalletError(.noRequest) }
            return state.handle(.reject(csi)).openedURL
        }
    }

    /// Ends a permission, or all permissions of an app.
    ///
    /// - Parameter text: the id of a permission, or the guid of an app.
    /// - Throws: ``WalletError`` `no-permission` if the text is neither.
    public func revoke(_ text: String) async throws -> Ending {
        try await change { state in
            // 1. The id of a permission may have the form of a guid.
            let given = try await client.given(all: true)
            let target: (csi: CsiGuid, permission: String?)
            if let csi = given.first(where: { $0.id == text })?.grantees.first {
                target = (csi, text)
            } else if let csi = CsiGuid(text) {
                target = (csi, nil)
            } else {
                throw WalletError(.noPermission)
            }
            // 2. The server decides what ended.
            let revoked = try await client.end(target.csi, permission: target.permission)
            let rest = try await client.given()
            let now = try await client.serverTime()
            // 3. The app gets a message after the end of its last permission.
            let isGranted = rest.contains {
                $0.status == .active && $0.end.date > now && $0.grantees.contains(target.csi)
            }
            let answer = revoked > 0 && !isGranted ? state.handle(.revoked(target.csi)).openedURL : nil
            _ = state.handle(.permissions(rest, now: now))
            return Ending(revoked: revoked, answer: answer)
        }
    }

    // MARK: - Lists

    /// Returns the apps that the wallet knows, after the server's answer about their permissions.
    public func apps() async throws -> [WalletState.App] {
        try await change { state in
            let given = try await client.given()
            let now = try await client.serverTime()
            _ = state.handle(.permissions(given, now: now))
            for app in state.apps.filter({ $0.isGranted && $0.name == nil }).prefix(Self.nameLimit) {
                let name = try await name(of: app.csi)
                _ = state.handle(.described(app.csi, name: name))
            }
            return state.apps
        }
    }

    /// Returns the permissions that the person gave.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func given(all: Bool = false) async throws -> [PermissionRecord] {
        try await change { _ in try await client.given(all: all) }
    }

    /// Returns the permissions that the wallet received.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func received(all: Bool = false) async throws -> [PermissionRecord] {
        try await change { _ in try await client.received(all: all) }
    }

    // MARK: - The file

    /// Changes the state of a registered wallet under the lock. A failure changes no file, except for the end of the csi,
    /// which is recorded.
    private func change<Result: Sendable>(
        _ body: (_ state: inout WalletState) async throws -> Result
    ) async throws -> Result {
        let lock = try await file.lock()
        defer { withExtendedLifetime(lock) {} }
        guard var state = try stored(), state.csi != nil else { throw WalletError(.notRegistered) }
        let former = state
        do {
            let result = try await body(&state)
            if state != former { try save(state) }
            return result
        } catch let error as WalletError where error.isEnd {
            state = former
            _ = state.handle(.ended)
            try save(state)
            throw error
        }
    }

    private func stored() throws -> WalletState? {
        guard let content = try file.content() else { return nil }
        guard let state = content[StoredState.Member.wallet].flatMap({ WalletState(json: $0) }) else {
            throw WalletError(.storeDamaged)
        }
        return state
    }

    private func save(_ state: WalletState) throws(DeviceStorageError) {
        try file.save([
            StoredState.Member.server: .string(client.server.url.absoluteString), StoredState.Member.wallet: state.json,
        ])
    }
}
