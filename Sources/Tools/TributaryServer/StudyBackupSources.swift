import Foundation
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The study's own files that stand in its backup.
enum StudyBackupSources {
    /// The study's files by the names that they have in a backup, sorted; links to files count as files.
    ///
    /// - Throws: ``ServerError`` `backup-too-large` for more or larger ones than a backup takes.
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
                found.count < StudyBackupManifest.mostMembers - 2
            else { throw tooLarge }
            found.append((name, path))
        // A link to a folder could lead round and round.
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

    /// Copies the files, so that what is hashed and what is written are the same bytes.
    ///
    /// - Throws: ``ServerError`` `backup-private-key` where one of them holds a private key.
    static func copy(
        _ files: [(name: String, path: String)], into staging: URL
    ) throws -> [(name: String, path: String)] {
        try files.enumerated().compactMap { number, file in
            // One that went away meanwhile is not there.
            guard let data = try FileAccess.contents(of: URL(fileURLWithPath: file.path)) else { return nil }
            guard Int64(data.count) <= StudyBackupManifest.largestFile else { throw tooLarge }
            guard data.range(of: Data("PRIVATE KEY-----".utf8)) == nil else {
                throw ServerError(
                    code: "backup-private-key",
                    message: "\(file.name) holds a private key, and no backup may; move it to keys/.")
            }
            let copy = staging.appendingPathComponent("file-\(number)").path
            try StudyBackupFiles.make(copy, data)
            return (file.name, copy)
        }
    }

    static let tooLarge = ServerError(
        code: "backup-too-large",
        message: "The study has more than \(StudyBackupManifest.mostMembers) files, or one of more than "
            + "\(StudyBackupManifest.largestFile >> 20) MB; nothing was changed.")
}
