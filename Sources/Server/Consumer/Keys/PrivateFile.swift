import Foundation

/// Writes files that must be whole or not there, with the permissions they are to have from the first instant.
enum PrivateFile {
    static func write(_ data: Data, to url: URL, permissions: Int) throws {
        let temporary = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        let created = FileManager.default.createFile(
            atPath: temporary.path, contents: data, attributes: [.posixPermissions: permissions])
        guard created, rename(temporary.path, url.path) == 0 else {
            unlink(temporary.path)
            throw ConsumerError(
                code: "file-unwritable", message: "The file \(url.lastPathComponent) cannot be written; see its folder."
            )
        }
    }
}
