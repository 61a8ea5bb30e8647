import Core
import DeviceSystem
import Foundation
import Wire

/// An app in a folder that asks a person's wallet for a permission: its csi, and the state that ``AppState`` decides.
///
/// The state is in `state.json` next to the identity, of mode 0600. Several processes may use one folder. A call that
/// fails can be repeated.
///
/// Calls throw ``WalletError``, `PermissionError`, `DeviceStorageError`, `CancellationError`.
public struct StoredApp: Sendable {
    /// The client of the app's csi.
    public let client: CsiClient
    private let file: StoredState

    /// The statements of an app about itself.
    public struct Description: Sendable, Hashable {
        /// The name, which the wallet shows.
        public let name: String
        /// The scheme of the messages to the app.
        public let scheme: AppScheme
        /// The access that the app wants; nil if the wallet decides.
        public let scope: PermissionScope?

        /// Creates a description.
        public init(name: String, scheme: AppScheme, scope: PermissionScope? = nil) {
            self.name = name
            self.scheme = scheme
            self.scope = scope
        }
    }

    /// The state of an app after a message.
    public struct Report: Sendable, Hashable {
        /// The phase.
        public let phase: PermissionPhase
        /// The active permissions by the server.
        public let permissions: [PermissionRecord]
        /// The request for a permission, after the registration: a URL for the wallet. nil for none.
        public let open: String?
    }

    /// The content of the file.
    private struct Content {
        var description: Description
        var state: AppState
    }

    /// Opens the app in the folder of the client. It sends nothing.
    public init(client: CsiClient) {
        self.client = client
        file = StoredState(client)
    }

    // MARK: - Registration

    /// Registers the app, or asks for the wallet if the device id is not known. An app that is registered asks for a
    /// permission again.
    ///
    /// - Parameters:
    ///   - deviceID: the device id of the wallet; nil if the wallet reports it.
    /// - Returns: csi and device id, if the app is registered, and the URL for the wallet.
    /// - Throws: ``WalletError`` `registered-already` for another device id.
    @discardableResult
    public func register(_ description: Description, deviceID: String? = nil) async throws -> CsiRegistrationResult {
        let lock = try await file.lock()
        defer { withExtendedLifetime(lock) {} }
        var content = Content(description: description, state: AppState(scheme: description.scheme))
        if let former = try stored() {
            // A state is one of its scheme. The csi stays in any case.
            if former.state.scheme == description.scheme { content.state = former.state }
        }
        try file.requireServer(of: client)
        try save(content)
        // 1. An end is found before a new guid is requested.
        if try await client.forgetIfEnded() { _ = content.state.handle(.ended) }
        // 2. A registration that the state does not have yet.
        if content.state.csi == nil, let csi = try client.csi(), let stored = try client.deviceID() {
            _ = content.state.handle(.useDevice(stored))
            _ = content.state.handle(.registered(csi))
        }
        // 3. The next step.
        let open: String?
        if content.state.csi != nil {
            let stored = try client.deviceID()
            guard deviceID == nil || deviceID == stored else { throw WalletError(.registeredAlready) }
            open = content.state.handle(.ask(description.scope, state: client.nonce())).openedURL
        } else if let deviceID {
            let effects = content.state.handle(.useDevice(deviceID))
            open = try await perform(effects, in: &content).open
        } else {
            open = content.state.handle(.introduce(state: client.nonce())).openedURL
        }
        try save(content)
        return CsiRegistrationResult(csi: content.state.csi, deviceID: content.state.deviceID, open: open)
    }

    // MARK: - Messages

    /// Reads a message of a wallet. The answer of the wallet to the introduction registers the app, which then asks for a
    /// permission. A message that the app does not expect is ignored; the server decides about permissions.
    ///
    /// - Throws: ``WalletError`` `message-invalid` if the URL is no message to this app.
    public func open(_ url: String) async throws -> Report {
        try await change { content in
            guard let message = MessageToApp(url, scheme: content.state.scheme) else {
                throw WalletError(.messageInvalid)
            }
            do {
                let effects = content.state.handle(.received(message))
                let result = try await perform(effects, in: &content)
                var permissions = result.permissions
                if permissions == nil, content.state.csi != nil {
                    permissions = try await perform([.call(.fetchReceived)], in: &content).permissions
                }
                return Report(phase: content.state.phase, permissions: permissions ?? [], open: result.open)
            } catch let error as WalletError where error.isEnd {
                _ = content.state.handle(.ended)
                return Report(phase: content.state.phase, permissions: [], open: nil)
            }
        }
    }

    /// Performs effects. A registration is followed by the request for a permission.
    private func perform(
        _ effects: [WalletEffect], in content: inout Content
    ) async throws -> (permissions: [PermissionRecord]?, open: String?) {
        var permissions: [PermissionRecord]?
        var open: String?
        for effect in effects {
            switch effect {
            case .register(let deviceID):
                let csi = try await client.register(
                    applicationClass: content.description.name, deviceID: deviceID)
                _ = content.state.handle(.registered(csi))
                open = content.state.handle(.ask(content.description.scope, state: client.nonce())).openedURL
            case .call:
                let received = try await client.received()
                permissions = received
                let now = try await client.serverTime()
                _ = content.state.handle(.permissions(received, now: now))
            case .open(let url): open = url
            }
        }
        return (permissions, open)
    }

    // MARK: - Permissions

    /// Passes a permission on to another app, and returns the id of the new permission.
    ///
    /// The parent is the oldest permission that the app received from a wallet with write access, and that covers the
    /// choice.
    ///
    /// - Throws: ``WalletError`` `no-parent` if the app has no permission that it may pass on.
    public func grant(_ choice: PermissionChoice, to csi: CsiGuid) async throws -> String {
        try await change { _ in
            let received = try await client.received()
            let now = try await client.serverTime()
            guard let parent = try choice.parent(among: received, for: csi, now: now) else {
                throw WalletError(.noParent)
            }
            let terms = try choice.terms(for: csi, now: now, parent: parent)
            guard let id = try await client.grant(terms).first else { throw WalletError(.answerInvalid) }
            return id
        }
    }

    /// Returns the permissions that the app passed on.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func given(all: Bool = false) async throws -> [PermissionRecord] {
        try await change { _ in try await client.given(all: all) }
    }

    /// Returns the permissions that the app received.
    ///
    /// - Parameter all: whether ended and expired ones are included.
    public func received(all: Bool = false) async throws -> [PermissionRecord] {
        try await change { content in
            let received = try await client.received(all: all)
            let now = try await client.serverTime()
            _ = content.state.handle(.permissions(received, now: now))
            return received
        }
    }

    /// Returns an access token for the permissions in force.
    ///
    /// - Parameter scope: the requested scope; nil for all access.
    public func token(scope: String? = nil) async throws -> TokenResponse {
        try await change { _ in try await client.token(scope: scope) }
    }

    // MARK: - The file

    /// Changes the state under the lock. A failure changes no file, except for the end of the csi, which is recorded.
    private func change<Result: Sendable>(
        _ body: (_ content: inout Content) async throws -> Result
    ) async throws -> Result {
        let lock = try await file.lock()
        defer { withExtendedLifetime(lock) {} }
        guard var content = try stored() else { throw WalletError(.notRegistered) }
        let former = content
        do {
            let result = try await body(&content)
            if content.state != former.state { try save(content) }
            return result
        } catch let error as WalletError where error.isEnd {
            content = former
            _ = content.state.handle(.ended)
            try save(content)
            throw error
        }
    }

    private func stored() throws -> Content? {
        guard let json = try file.content() else { return nil }
        guard let name = json[StoredState.Member.name]?.string,
            let state = json[StoredState.Member.app].flatMap({ AppState(json: $0) })
        else { throw WalletError(.storeDamaged) }
        var scope: PermissionScope?
        if let text = json[StoredState.Member.scope]?.string {
            guard let read = try? PermissionScope(requested: text) else { throw WalletError(.storeDamaged) }
            scope = read
        }
        let description = Description(name: name, scheme: state.scheme, scope: scope)
        return Content(description: description, state: state)
    }

    private func save(_ content: Content) throws(DeviceStorageError) {
        var json: JSON = [
            StoredState.Member.server: .string(client.server.url.absoluteString),
            StoredState.Member.name: .string(content.description.name), StoredState.Member.app: content.state.json,
        ]
        if let scope = content.description.scope { json[StoredState.Member.scope] = .string(scope.requestText) }
        try file.save(json)
    }
}
