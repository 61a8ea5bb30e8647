import Foundation

/// A folder of files that appears only when all of them are complete. It is readable only by its owner from the
/// beginning, and replaces an earlier one only if requested.
package struct StagedFolder {
    /// The folder for the files, until ``finish()``.
    package let staging: URL
    private let target: URL
    private let former: URL

    /// - Parameters:
    ///   - path: the folder that appears at the end. An empty one may exist.
    ///   - replaces: whether an existing folder is replaced, if it has only files that `isOwn` accepts.
    ///   - isOwn: whether a file has the name of one that an earlier run wrote.
    /// - Throws: ``CommandError`` `file-exists`, `file-unwritable`.
    package init(path: String, replaces: Bool, isOwn: (String) -> Bool) throws {
        target = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
        let (parent, name) = (target.deletingLastPathComponent(), target.lastPathComponent)
        staging = parent.appendingPathComponent(".\(name).part", isDirectory: true)
        former = parent.appendingPathComponent(".\(name).former", isDirectory: true)
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        if manager.fileExists(atPath: target.path, isDirectory: &isFolder) {
            let names = isFolder.boolValue ? try? manager.contentsOfDirectory(atPath: target.path) : nil
            guard let names else { throw CommandError("file-exists", "\(path) is no folder.") }
            guard names.isEmpty || replaces else {
                throw CommandError(
                    "file-exists", "The folder \(path) is not empty; --force replaces an earlier export.")
            }
            if let other = names.sorted().first(where: { !isOwn($0) }) {
                throw CommandError(
                    "file-exists", "The folder \(path) contains \(other), which is of no earlier export; name another.")
            }
        }
        do {
            // A folder that a killed run left is not in use.
            if manager.fileExists(atPath: staging.path) { try manager.removeItem(at: staging) }
            if manager.fileExists(atPath: former.path) { try manager.removeItem(at: former) }
            try manager.createDirectory(
                at: staging, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandError("file-unwritable", "The folder \(path) cannot be made.")
        }
    }

    /// Gives the folder its name.
    package func finish() throws {
        let manager = FileManager.default
        let isThere = manager.fileExists(atPath: target.path)
        let failure = CommandError("file-unwritable", "The folder \(target.path) cannot be made.")
        if isThere { guard rename(target.path, former.path) == 0 else { throw failure } }
        guard rename(staging.path, target.path) == 0 else {
            if isThere { _ = rename(former.path, target.path) }
            throw failure
        }
        if isThere { try? manager.removeItem(at: former) }
    }

    /// Deletes the unfinished folder.
    package func discard() { try? FileManager.default.removeItem(at: staging) }
}
