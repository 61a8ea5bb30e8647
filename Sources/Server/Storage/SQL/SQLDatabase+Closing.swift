extension SQLDatabase {
    /// Uses the database and closes it, also after an error.
    ///
    /// - Throws: the error of `body`, otherwise that of closing.
    public func closing<T>(_ body: (Self) async throws -> T) async throws -> T {
        do {
            let value = try await body(self)
            try await close()
            return value
        } catch {
            try? await close()
            throw error
        }
    }
}
