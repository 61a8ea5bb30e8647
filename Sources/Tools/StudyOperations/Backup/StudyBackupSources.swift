import Foundation
import Storage
import StudyFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The study's own files for its backup.
enum StudyBackupSources {
    /// Returns the study's files by their names in a backup, sorted. A link to a file counts as a file.
    ///
    /// - Throws: ``ServerError`` `backup-too-large` if there are too many or too large files.
    static func files(of folder: StudyFolder) throws -> [(name: String, path: String)] {
        var found: [(name: String, path: String)] = []
        for name in StudyBackupManifest.files + StudyBackupManifest.folders {
            try collect("study/" + name, folder.url.appendingPathComponent(name).path, into: &found)
        }
        return found.sorted { $0.name < $1.name }
    }

    private static func collect(
        _ name: String, _ path: String, into found: inout [(name: String, path: String)]
    ) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG where StudyBackupManifest.isAllowed(name):
            guard Int64(status.st_size) <= StudyBackupManifest.largestFile,
                found.count < StudyBackupManifest.maximumMembers - 3
            else { throw tooLarge }
            found.append((name, path))
        // A link to a folder could create a cycle.
        case S_IFDIR where !isLink(path):
            for entry in try FileAccess.names(in: URL(fileURLWithPath: path)) ?? [] where !entry.hasPrefix(".") {
                try collect(name + "/" + entry, path + "/" + entry, into: &found)
            }
        default: return
        }
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Copies the files, so that the hashed and the written bytes are the same.
    ///
    /// - Throws: ``ServerError`` `backup-private-key` if one of them contains a private key.
    static func copy(
        _ files: [(name: String, path: String)], into staging: URL
    ) throws -> [(name: String, path: String)] {
        try files.enumerated().compactMap { number, file in
            // A file that was deleted meanwhile is skipped.
            guard let data = try FileAccess.contents(of: URL(fileURLWithPath: file.path)) else { return nil }
            guard Int64(data.count) <= StudyBackupManifest.largestFile else { throw tooLarge }
            guard data.range(of: Data("PRIVATE KEY-----".utf8)) == nil else {
                throw ServerError(
                    code: "backup-private-key",
                    message: "\(file.name) contains a private key, which no backup may; move it to keys/.")
            }
            let copy = staging.appendingPathComponent("file-\(number)").path
            try StudyBackupFiles.make(copy, data)
            return (file.name, copy)
        }
    }

    static let tooLarge = ServerError(
        code: "backup-too-large",
        message: "The study has more than \(StudyBackupManifest.maximumMembers) files, or one of more than "
            + "\(StudyBackupManifest.largestFile >> 20) MB; nothing was changed.")
}
