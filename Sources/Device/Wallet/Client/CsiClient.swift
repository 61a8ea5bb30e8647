import Core
import DeviceSystem
import Foundation
import HTTPTransport
import Wire

/// The csi of an app or of a wallet at one server: registration, permissions, tokens.
///
/// ```swift
/// let client = try CsiClient(server: server, folder: folder)
/// try await client.register(applicationClass: "Steps", deviceID: deviceID)
/// let permissions = try await client.received()
/// ```
/// The private key is a secret of mode 0600, or in the system's Keychain. Requests use version 2 of the signatures and the
/// time of the server. The connection may break at any instant: a registration or a new key that the server may have
/// accepted is completed by the next call.
///
/// Calls throw ``WalletError``; `PermissionError` for a value that breaks a rule, then nothing was sent;
/// `DeviceStorageError`; `CancellationError`.
public actor CsiClient {
    /// The server.
    public nonisolated let server: CsiServer
    let store: CsiFolder
    let transport: any Transport
    nonisolated let now: @Sendable () -> Date
    nonisolated let random: @Sendable () -> UUID
    /// The difference of the clocks; nil before the first call.
    var clock: ServerClock?

    /// Maximum bytes of an answer.
    static let maximumAnswerBytes = 16 << 20

    /// Opens the folder of a csi, which is created with mode 0700 if it does not exist. It sends nothing.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - folder: the folder of the identity.
    ///   - secrets: stores the keys; nil for files in the folder. On a phone use `KeychainSecrets`.
    ///   - transport: sends the requests.
    ///   - files: the file system.
    ///   - now: returns the time of the device.
    ///   - random: returns random ids of cryptographic quality.
    /// - Throws: `DeviceStorageError`.
    public init(
        server: CsiServer, folder: URL, secrets: (any SecretStore)? = nil,
        transport: any Transport = URLSessionTransport(largestAnswer: 16 << 20), files: any DurableFiles = PosixFiles(),
        now: @escaping @Sendable () -> Date = { Date() }, random: @escaping @Sendable () -> UUID = { UUID.random() }
    ) throws(DeviceStorageError) {
        self.server = server
        self.transport = transport
        self.now = now
        self.random = random
        try files.makeFolder(folder)
        store = CsiFolder(folder: folder, secrets: secrets, files: files)
    }

    /// The registered csi; nil if there is none. It needs no network.
    ///
    /// - Throws: ``WalletError`` `store-damaged`; `DeviceStorageError`.
    public nonisolated func csi() throws -> CsiGuid? {
        guard let identity = try storedIdentity(), identity.isConfirmed else { return nil }
        return identity.csi
    }

    /// The device id of the registered csi; nil if there is none. It needs no network.
    ///
    /// - Throws: ``WalletError`` `store-damaged`; `DeviceStorageError`.
    public nonisolated func deviceID() throws -> String? {
        guard let identity = try storedIdentity(), identity.isConfirmed else { return nil }
        return identity.deviceID
    }

    /// Removes the identity and the keys from the device. The csi remains valid at the server; end the csi with
    /// ``revoke(_:)`` before.
    ///
    /// - Throws: `DeviceStorageError`.
    public func forget() throws { try store.erase() }

    /// Returns the stored identity, if it is one of this server.
    nonisolated func storedIdentity() throws -> CsiFolder.Identity? {
        guard let identity = try store.identity(), identity.server == server.url.absoluteString else { return nil }
        return identity
    }

    /// Returns a new nonce.
    nonisolated func nonce() -> String { random().lowercaseText }
}
