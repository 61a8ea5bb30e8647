import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes a store, or brings an older one up to date: under the lock of the store, with room for it, and after a copy was
/// made that can be gone back to.
public enum StoreMigration {
    /// A report of a migration.
    public struct Report: Sendable, Hashable {
        /// The numbers of the steps.
        public let steps: [Int]
        /// The copy of the store as it was before; nil where there was nothing to lose.
        public let copy: String?

        public init(steps: [Int], copy: String?) {
            self.steps = steps
            self.copy = copy
        }
    }

    /// Migrates the store at a path. A new store is made in the same way.
    ///
    /// - Parameters:
    ///   - lock: shows that the caller holds the store's lock.
    ///   - label: a text for the copy's name, such as a time.
    /// - Throws: ``StorageError``, also `storage-full` where a copy of the store would leave too little room; the old
    ///   store is then as it was.
    public static func run(
        path: String, migrations: [Migration], permissions: mode_t, lock: StoreLock, label: String
    ) async throws -> Report {
        defer { withExtendedLifetime(lock) {} }
        var pending = migrations
        var copy: String?
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value ?? 0
        if size > 0 {
            // 1. What there is to do.
            let database = try await SQLiteDatabase.open(path: path, migrations: [], permissions: permissions)
            do {
                pending = try await database.read { try Migration.pending(migrations, in: $0) }
            } catch {
                try? await database.close()
                throw error
            }
            try await database.close()
            guard !pending.isEmpty else { return Report(steps: [], copy: nil) }
            // 2. Room for the copy, and for what the steps write anew.
            try requireSpace(size * 2 + (64 << 20), besides: path)
            let target = path + ".before-" + label
            removePartialCopies(of: path)
            try SQLiteDatabase.copy(path: path, to: target)
            copy = target
        }
        // 3. The steps.
        do {
            let database = try await SQLiteDatabase.open(path: path, migrations: migrations, permissions: permissions)
            try await database.close()
        } catch {
            // Where no step was done the store is its own copy, and room is what it may lack. A step in slices counts
            // once all are done, so that where one was to be done the copy stays.
            if let copy, pending.allSatisfy({ $0.slice == nil }),
                await stepsLeft(path, migrations, permissions) == pending.map(\.number)
            {
                unlink(copy)
            }
            throw error
        }
        return Report(steps: pending.map(\.number).sorted(), copy: copy)
    }

    /// The copies of earlier states that migrations and upgrades left beside a store, unfinished ones included.
    public static func copies(beside path: String) -> [String] {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.contains(".before-") }.sorted().map { folder + "/" + $0 }
    }

    /// Removes what an earlier run left that was killed while it copied; its copy had another time in its name.
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

    /// The steps that a store lacks; nil where it cannot be read.
    private static func stepsLeft(_ path: String, _ migrations: [Migration], _ permissions: mode_t) async -> [Int]? {
        guard let database = try? await SQLiteDatabase.open(path: path, migrations: [], permissions: permissions)
        else { return nil }
        let left = try? await database.read { try Migration.pending(migrations, in: $0) }
        try? await database.close()
        return left?.map(\.number)
    }

    /// - Throws: ``StorageError`` `storage-full` where the file system of a file has less room.
    public static func requireSpace(_ bytes: Int64, besides path: String) throws {
        var status = statvfs()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard statvfs(folder, &status) == 0 else { return }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        guard free >= bytes else {
            throw StorageError(
                code: "storage-full",
                message:
                    "This needs \(bytes >> 20) MB of free disk, and there are \(free >> 20) MB; nothing was changed.")
        }
    }
}
