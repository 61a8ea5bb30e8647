import Core
import Crypto
import Foundation
import Storage
import StudyFiles

/// A fingerprint of an export that is computed without reading it in full: from the sizes and the two ends of its
/// files. Names and paths are not included, so a moved export has the same fingerprint.
package enum ExportDigest {
    /// Number of bytes used from each end.
    private static let end = 1 << 16

    /// Returns a text that is equal for equal bytes.
    ///
    /// - Throws: ``ServerError`` `file-unreadable`.
    package static func text(of path: String) throws -> String {
        var hash = SHA256()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw unreadable(path)
        }
        if isFolder.boolValue {
            let folder = URL(fileURLWithPath: path, isDirectory: true)
            let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            for name in names where name.lowercased().hasSuffix(".xml") {
                try add(folder.appendingPathComponent(name).path, to: &hash)
            }
        } else {
            try add(path, to: &hash)
        }
        return Hexadecimal.text(hash.finalize())
    }

    private static func add(_ path: String, to hash: inout SHA256) throws {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw unreadable(path)
        }
        defer { try? file.close() }
        let size = try file.seekToEnd()
        hash.update(data: Data("\(size)\n".utf8))
        for offset in [0, size > UInt64(end) ? size - UInt64(end) : 0] {
            try file.seek(toOffset: offset)
            hash.update(data: try file.read(upToCount: end) ?? Data())
        }
    }

    private static func unreadable(_ path: String) -> ServerError {
        do throws(FileAccessError) {
            try FileAccess.require(URL(fileURLWithPath: path))
            return ServerError(code: "file-unreadable", message: "The file \(path) cannot be read.")
        } catch {
            return ServerError(code: error.code, message: error.message)
        }
    }
}
