import Foundation

/// ``SecretStore`` in a folder: a file of mode 0600 for each secret.
public struct FileSecrets: SecretStore {
    private let folder: URL
    private let files: any DurableFiles

    /// Creates a store in this folder, which must exist.
    public init(folder: URL, files: any DurableFiles = PosixFiles()) {
        self.folder = folder
        self.files = files
    }

    public func secret(named name: String) throws(DeviceStorageError) -> Data? {
        try files.content(of: folder.appendingPathComponent(name))
    }

    public func save(_ secret: Data, named name: String) throws(DeviceStorageError) {
        try locked { () throws(DeviceStorageError) in
            try AtomicFile.write(secret, to: folder.appendingPathComponent(name), files: files)
        }
    }

    public func removeSecret(named name: String) throws(DeviceStorageError) {
        try locked { () throws(DeviceStorageError) in
            try files.remove(folder.appendingPathComponent(name))
            try files.syncFolder(folder)
        }
    }

    private func locked(_ body: () throws(DeviceStorageError) -> Void) throws(DeviceStorageError) {
        let lock = try files.lock(folder.appendingPathComponent(".lock"), patience: 10)
        defer { withExtendedLifetime(lock) {} }
        try body()
    }
}
