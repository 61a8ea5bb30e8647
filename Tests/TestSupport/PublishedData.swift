import Foundation
import Synchronization

/// Published test data of others. They lie outside of the package, where `TRIBUTARY_CONFORMANCE` says.
public enum PublishedData {
    /// The folder; nil where the variable is not set or names none.
    public static let folder: URL? = ProcessInfo.processInfo.environment["TRIBUTARY_CONFORMANCE"].map {
        URL(fileURLWithPath: $0)
    }.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    /// A file or folder of them; nil where it is not there.
    public static func url(_ path: String) -> URL? {
        guard let url = folder?.appendingPathComponent(path), FileManager.default.fileExists(atPath: url.path) else {
            return nil
        }
        return url
    }

    /// Unpacks members of an archive into a folder that goes with the value; throws where that fails.
    public static func unpacked(_ archive: String, _ members: [String]) throws -> TemporaryFolder {
        guard let archive = url(archive) else { throw CocoaError(.fileNoSuchFile) }
        let folder = try TemporaryFolder()
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xJf", archive.path, "-C", folder.path] + members
        // Foundation has been seen to read what is not there when two processes are begun at once.
        try beginning.withLock { _ in try tar.run() }
        tar.waitUntilExit()
        guard tar.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
        return folder
    }

    private static let beginning = Mutex(())

    /// The files below a folder with an extension, in the order of their paths.
    public static func files(below folder: URL, extension name: String = "json") -> [URL] {
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == name }.sorted { $0.path < $1.path }
    }
}
