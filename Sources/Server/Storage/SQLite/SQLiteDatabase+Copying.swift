import Foundation
import GRDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension SQLiteDatabase {
    /// Writes a copy of one consistent snapshot of a database. Writers do not wait, but the log grows meanwhile. A copy
    /// under its final name is complete even after an interruption: until then it is named `COPY.part`, and the next
    /// copy removes that file.
    ///
    /// - Parameters:
    ///   - path: path of the database.
    ///   - copy: path of a new file; it gets mode 0600 and is durable when this function returns.
    /// - Throws: ``StorageError``; then there is no copy.
    public static func copy(path: String, to copy: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StorageError.missing(path)
        }
        guard !FileManager.default.fileExists(atPath: copy) else {
            throw StorageError(code: "storage-open", message: "There is a file \(copy) already.")
        }
        let partial = copy + ".part"
        for end in ["", "-journal"] { unlink(partial + end) }
        let descriptor = makeFile(partial)
        guard descriptor >= 0 else {
            throw StorageError(
                code: errno == ENOSPC ? "storage-full" : "storage-open",
                message: "The copy of the database cannot be made; check its folder.")
        }
        defer { _ = closeFile(descriptor) }
        do {
            try StorageError.mapping {
                var configuration = Configuration()
                configuration.busyMode = .timeout(60)
                let database = try DatabaseQueue(path: path, configuration: configuration)
                // SQLite's documentation: VACUUM INTO uses a read transaction, and accepts an empty file.
                try database.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [partial]) }
                try database.close()
            }
            guard fsync(descriptor) == 0 else { throw notDurable }
            guard rename(partial, copy) == 0 else { throw notDurable }
            guard syncFolder(of: copy) else {
                unlink(copy)
                throw notDurable
            }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static var notDurable: StorageError {
        StorageError(code: "storage-io", message: "The copy of the database cannot be made durable.")
    }

    /// Whether a file is an intact SQLite database. Reads the whole file.
    public static func isSound(path: String) -> Bool {
        var configuration = Configuration()
        configuration.readonly = true
        guard let database = try? DatabaseQueue(path: path, configuration: configuration) else { return false }
        let verdict = try? database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") }
        try? database.close()
        return verdict == "ok"
    }
}

// The type's own `open` and `close` hide the system calls.
private func makeFile(_ path: String) -> Int32 { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
private func syncFolder(of path: String) -> Bool {
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
}
private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
