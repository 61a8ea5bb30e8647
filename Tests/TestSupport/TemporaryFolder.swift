import Foundation

/// A new folder among the system's temporary ones. It is removed with the value.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public var path: String { url.path }

    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("tributary-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { remove() }

    /// Removes it before the value is deallocated. Called in a `defer`, it also keeps the value until then.
    public func remove() { try? FileManager.default.removeItem(at: url) }
}

/// Passes the body the path of a folder that is removed when the body ends.
public func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder.path)
}
