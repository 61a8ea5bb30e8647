import Foundation

/// Atomic writes: at every instant a file has the complete old or new content.
public enum AtomicFile {
    /// The prefix of the names of incomplete files. They may be removed while no process is writing.
    static let temporaryPrefix = ".tmp-"

    /// Writes a file of mode 0600, which replaces one of the same name. When this returns, the content survives a loss
    /// of power. Throws ``DeviceStorageError`` (`storage-full`, `storage-failed`); then the old content is kept, and no
    /// incomplete file is left.
    public static func write(_ content: Data, to file: URL, files: any DurableFiles = PosixFiles())
        throws(DeviceStorageError)
    {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(temporaryPrefix + UUID().uuidString)
        do throws(DeviceStorageError) {
            // 1. The content, complete and durable, under a temporary name.
            try files.create(temporary, holding: content)
            try files.sync(temporary)
            // 2. The name.
            try files.move(temporary, to: file)
        } catch {
            try? files.remove(temporary)
            throw error
        }
        // 3. The name, durable.
        try files.syncFolder(folder)
    }

    /// Removes the incomplete files of stopped writers. Call it only while holding the lock of the writers.
    public static func removeLeftovers(in folder: URL, files: any DurableFiles) throws(DeviceStorageError) {
        for name in try files.names(in: folder) where name.hasPrefix(temporaryPrefix) {
            try files.remove(folder.appendingPathComponent(name))
        }
    }
}
