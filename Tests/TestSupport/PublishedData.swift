import Foundation
import Synchronization

/// Published test data of other projects. They are not part of the package; `TRIBUTARY_CONFORMANCE` names their folder.
public enum PublishedData {
    /// The folder, or nil if the variable is not set or names no folder.
    public static let folder: URL? = ProcessInfo.processInfo.environment["TRIBUTARY_CONFORMANCE"].map {
        URL(fileURLWithPath: $0)
    }.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    /// Returns the URL of a file or folder of the data, or nil if it does not exist.
    public static func url(_ path: String) -> URL? {
        guard let url = folder?.appendingPathComponent(path), FileManager.default.fileExists(atPath: url.path) else {
            return nil
        }
        return url
    }

    /// Unpacks members of an archive into a folder that is removed with the value; throws if that fails.
    public static func unpacked(_ archive: String, _ members: [String]) throws -> TemporaryFolder {
        guard let archive = url(archive) else { throw CocoaError(.fileNoSuchFile) }
        let folder = try TemporaryFolder()
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xJf", archive.path, "-C", folder.path] + members
        // Foundation has been observed to read invalid data when two processes start at the same time.
        try beginning.withLock { _ in try tar.run() }
        tar.waitUntilExit()
        guard tar.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
        return folder
    }

    private static let beginning = Mutex(())

    /// Returns the files below a folder with an extension, in the order of their paths.
    public static func files(below folder: URL, extension name: String = "json") -> [URL] {
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == name }.sorted { $0.path < $1.path }
    }
}
