extension SQLDatabase {
    /// Uses the database and closes it, whatever comes of the use.
    ///
    /// - Throws: what `body` throws, else what closing throws.
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
