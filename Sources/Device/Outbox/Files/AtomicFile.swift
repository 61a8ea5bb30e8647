import Foundation

/// Writing a file so that at every instant the old or the new content stands there, whole.
public enum AtomicFile {
    /// How the names of half-written files begin. They may be removed whenever nobody is writing.
    static let temporaryPrefix = ".tmp-"

    /// Writes a file of mode 0600, replacing another of its name. When this returns, the content survives a loss of power.
    /// Throws ``OutboxError`` (`storage-full`, `storage-failed`); then the old content stands, and no half file is left.
    public static func write(_ content: Data, to file: URL, files: some DurableFiles = PosixFiles()) throws(OutboxError)
    {
        let folder = file.deletingLastPathComponent()
        let temporary = folder.appendingPathComponent(temporaryPrefix + UUID().uuidString)
        do throws(OutboxError) {
            // 1. The content, whole and durable, under a name nobody looks at.
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

    /// Removes what writers left that were stopped half way. Only while holding the lock that the writers hold.
    public static func removeLeftovers(in folder: URL, files: some DurableFiles) throws(OutboxError) {
        for name in try files.names(in: folder) where name.hasPrefix(temporaryPrefix) {
            try files.remove(folder.appendingPathComponent(name))
        }
    }
}
