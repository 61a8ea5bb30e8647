import Core
import DeviceSystem
import Foundation
import Wire

/// The stored identity of a csi: its file, and its keys as secrets. All files have mode 0600.
struct CsiFolder: Sendable {
    /// The content of the file.
    struct Identity: Sendable, Hashable {
        /// The address of the server.
        var server: String
        /// The guid that the server issued.
        var csi: CsiGuid
        var deviceID: String
        /// Whether the server confirmed the registration. Before, it may have registered the csi or not.
        var isConfirmed: Bool
    }

    /// The keys. The next one is in use as soon as the server confirmed it.
    enum KeyName: String, CaseIterable {
        case current = "csi-key"
        case next = "csi-key-next"
    }

    private static let fileName = "csi.json"
    /// Seconds to wait for another process that changes the files.
    private static let patience = 30.0

    let folder: URL
    let secrets: any SecretStore
    let files: any DurableFiles

    init(folder: URL, secrets: (any SecretStore)?, files: any DurableFiles) {
        self.folder = folder
        self.secrets = secrets ?? FileSecrets(folder: folder, files: files)
        self.files = files
    }

    /// Takes the lock of a change of the identity or of the keys.
    func lock() async throws -> FileLock {
        try await files.lock(folder.appendingPathComponent("csi.lock"), awaiting: Self.patience)
    }

    /// Returns the identity; nil if there is none. Throws `DeviceStorageError`, ``WalletError`` `store-damaged`.
    func identity() throws -> Identity? {
        guard let content = try files.content(of: file) else { return nil }
        guard let json = JSON(reading: content), let server = json["server"]?.string,
            let csi = json["csiGuid"]?.string.flatMap({ CsiGuid($0) }), let deviceID = json["deviceId"]?.string,
            let isConfirmed = json["isConfirmed"]?.bool
        else { throw WalletError(.storeDamaged) }
        return Identity(server: server, csi: csi, deviceID: deviceID, isConfirmed: isConfirmed)
    }

    func save(_ identity: Identity) throws(DeviceStorageError) {
        let json: JSON = [
            "server": .string(identity.server), "csiGuid": .string(identity.csi.text),
            "deviceId": .string(identity.deviceID), "isConfirmed": .bool(identity.isConfirmed),
        ]
        try AtomicFile.write(json.data(), to: file, files: files)
    }

    /// Returns a key; nil if there is none. Throws `DeviceStorageError`, ``WalletError`` `store-damaged`.
    func key(_ name: KeyName) throws -> P256SigningKey? {
        guard let secret = try secrets.secret(named: name.rawValue) else { return nil }
        guard let key = try? P256SigningKey(rawRepresentation: secret) else { throw WalletError(.storeDamaged) }
        return key
    }

    func save(_ key: P256SigningKey, as name: KeyName) throws(DeviceStorageError) {
        try secrets.save(key.rawRepresentation, named: name.rawValue)
    }

    /// Puts the next key in the role of the current one.
    func promote(_ key: P256SigningKey) throws(DeviceStorageError) {
        try save(key, as: .current)
        try secrets.removeSecret(named: KeyName.next.rawValue)
    }

    /// Removes identity and keys.
    func erase() throws(DeviceStorageError) {
        for name in KeyName.allCases { try secrets.removeSecret(named: name.rawValue) }
        try files.remove(file)
        try files.syncFolder(folder)
    }

    private var file: URL { folder.appendingPathComponent(Self.fileName) }
}
