extension Store {
    /// Opens the store for a use in which nobody else works with it.
    ///
    /// - Throws: ``StorageError``; `storage-locked` while somebody works with it.
    public func withAlone<T>(_ body: (any SQLDatabase) async throws -> T) async throws -> T {
        var lock: StoreLock?
        if let path {
            lock = try StoreLock(storePath: path)
            guard lock != nil else {
                throw StorageError(
                    code: "storage-locked", message: "A server works with \(path); stop it first.")
            }
        }
        defer { withExtendedLifetime(lock) {} }
        return try await openAlone().closing { try await body($0) }
    }
}
