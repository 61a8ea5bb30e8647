import Core
import DeviceSystem
import Foundation
import Wire

/// The file with the state of a wallet or an app, in the folder of its csi. It has mode 0600 and is replaced as a whole.
struct StoredState: Sendable {
    let folder: URL
    let files: any DurableFiles

    /// Seconds to wait for another process that changes the state. It may wait for its server.
    private static let patience = 60.0

    /// The names of the members of the file.
    enum Member {
        static let server = "server"
        static let wallet = "wallet"
        static let app = "app"
        static let name = "name"
        static let scope = "scope"
    }

    init(folder: URL, files: any DurableFiles) {
        self.folder = folder
        self.files = files
    }

    init(_ client: CsiClient) { self.init(folder: client.store.folder, files: client.store.files) }

    /// Takes the lock of a change of the state.
    func lock() async throws -> FileLock {
        try await files.lock(folder.appendingPathComponent("state.lock"), awaiting: Self.patience)
    }

    /// Returns the content; nil if there is none. Throws `DeviceStorageError`, ``WalletError`` `store-damaged`.
    func content() throws -> JSON? {
        guard let content = try files.content(of: file) else { return nil }
        guard let json = JSON(reading: content), json.object != nil else { throw WalletError(.storeDamaged) }
        return json
    }

    func save(_ json: JSON) throws(DeviceStorageError) { try AtomicFile.write(json.data(), to: file, files: files) }

    /// Throws ``WalletError`` `registered-already` if the folder has a csi of another server: its keys would be lost.
    func requireServer(of client: CsiClient) throws {
        guard let identity = try client.store.identity(), identity.isConfirmed else { return }
        guard identity.server == client.server.url.absoluteString else { throw WalletError(.registeredAlready) }
    }

    private var file: URL { folder.appendingPathComponent("state.json") }
}

extension CsiServer {
    /// Returns the server of the wallet or app in a folder; nil if there is none. It creates nothing.
    ///
    /// - Throws: ``WalletError`` `store-damaged`; `DeviceStorageError`.
    public static func stored(in folder: URL, files: any DurableFiles = PosixFiles()) throws -> CsiServer? {
        guard let content = try StoredState(folder: folder, files: files).content() else { return nil }
        guard let address = content[StoredState.Member.server]?.string, let server = try? CsiServer(address) else {
            throw WalletError(.storeDamaged)
        }
        return server
    }
}

/// The registration of a wallet or an app.
public struct CsiRegistrationResult: Sendable, Hashable {
    /// The csi; nil for an app that waits for the answer of the wallet.
    public let csi: CsiGuid?
    /// The device id; nil for an app that waits for the answer of the wallet.
    public let deviceID: String?
    /// The URL to open next; nil for none.
    public let open: String?
}

extension CsiClient {
    /// Removes the identity if the server reports that the csi has ended or does not exist.
    ///
    /// - Returns: whether it was removed.
    func forgetIfEnded() async throws -> Bool {
        guard try csi() != nil else { return false }
        do {
            _ = try await received()
            return false
        } catch let error as WalletError where error.isEnd {
            try forget()
            return true
        }
    }
}

extension WalletError {
    /// Whether the server reports that the csi of the caller has ended or does not exist.
    var isEnd: Bool { refusal == .csiRevoked || refusal == .unknownCsi }
}

extension [WalletEffect] {
    /// The first URL to open; nil for none.
    var openedURL: String? {
        for case .open(let url) in self { return url }
        return nil
    }
}
