import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Creates a store or migrates an older one: under the lock of the store, with enough disk space, and after a copy for
/// a rollback.
public enum StoreMigration {
    /// Report of a migration.
    public struct Report: Sendable, Hashable {
        /// Numbers of the applied steps.
        public let steps: [Int]
        /// Path of the copy of the previous store; nil if there was none to copy.
        public let copy: String?

        public init(steps: [Int], copy: String?) {
            self.steps = steps
            self.copy = copy
        }
    }

    /// Migrates the store at a path, or creates it.
    ///
    /// - Parameters:
    ///   - lock: proof that the caller holds the store's lock.
    ///   - label: part of the copy's name, such as a time.
    /// - Throws: ``StorageError``, also `storage-full` if a copy of the store would leave too little space; the old
    ///   store is then unchanged.
    public static func run(
        path: String, migrations: [Migration], permissions: mode_t, lock: StoreLock, label: String
    ) async throws -> Report {
        defer { withExtendedLifetime(lock) {} }
        var pending = migrations
        var copy: String?
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value ?? 0
        if size > 0 {
            // 1. Find the pending steps.
            let database = try await SQLiteDatabase.open(path: path, migrations: [], permissions: permissions)
            do {
                pending = try await database.read { try Migration.pending(migrations, in: $0) }
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
            guard !pending.isEmpty else { return Report(steps: [], copy: nil) }
            // 2. Check the space for the copy and for the rewritten rows, and copy.
            try requireSpace(size * 2 + (64 << 20), onDiskOf: path)
            let target = path + ".before-" + label
            removePartialCopies(of: path)
            try SQLiteDatabase.copy(path: path, to: target)
            copy = target
        }
        // 3. Apply the steps.
        do {
            let database = try await SQLiteDatabase.open(path: path, migrations: migrations, permissions: permissions)
            try await database.close()
        } catch {
            // If no step was applied, the store equals its copy, so remove the copy to free space. A step in slices is
            // recorded only after all of its slices, so keep the copy if there was such a step.
            if let copy, pending.allSatisfy({ $0.slice == nil }),
                await stepsLeft(path, migrations: migrations, permissions: permissions) == pending.map(\.number)
            {
                unlink(copy)
            }
            throw error
        }
        return Report(steps: pending.map(\.number).sorted(), copy: copy)
    }

    /// Returns the paths of the copies that migrations have left next to a store, including incomplete ones.
    public static func copies(nextTo path: String) -> [String] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains(".before-") }.sorted().map { folder + "/" + $0 }
    }

    /// Removes partial copies of earlier runs that were killed; their names contain other times.
    private static func removePartialCopies(of path: String) {
        let store = URL(fileURLWithPath: path)
        let folder = store.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names
        where name.hasPrefix(store.lastPathComponent + ".before-")
            && (name.hasSuffix(".part") || name.hasSuffix(".part-journal"))
        {
            unlink(folder + "/" + name)
        }
    }

    /// Returns the steps that a store lacks; nil if it cannot be read.
    private static func stepsLeft(_ path: String, migrations: [Migration], permissions: mode_t) async -> [Int]? {
        guard let database = try? await SQLiteDatabase.open(path: path, migrations: [], permissions: permissions)
        else { return nil }
        let left = try? await database.read { try Migration.pending(migrations, in: $0) }
        try? await database.close()
        return left?.map(\.number)
    }

    /// Checks the free space of the file system of a file.
    /// - Throws: ``StorageError`` `storage-full` if less space is free.
    public static func requireSpace(_ bytes: Int64, onDiskOf path: String) throws {
        var status = statvfs()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard statvfs(folder, &status) == 0 else { return }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free >= bytes else {
            throw StorageError(
                code: "storage-full",
                message:
                    "This needs \(bytes >> 20) MB of disk space, but \(free >> 20) MB are free; nothing was changed.")
        }
    }
}
