extension Store {
    /// Opens the store for exclusive use.
    ///
    /// - Throws: ``StorageError``; `storage-locked` if another process uses it.
    public func withAlone<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        var lock: StoreLock?
        if let path {
            lock = try StoreLock(storePath: path)
            guard lock != nil else {
                throw StorageError(
                    code: "storage-locked", message: "A server uses \(path); stop it first.")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        return try await openAlone().closing { try await body($0) }
    }
}
