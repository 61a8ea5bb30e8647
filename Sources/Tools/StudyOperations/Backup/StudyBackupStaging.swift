import Core
import Foundation
import Storage
import StudyFiles
import StudyKeys

/// The temporary folder of a backup, with the copies of the stores. A killed backup does not delete it; it is deleted
/// by the next backup of the study, to any file, and by the start of its server.
package struct StudyBackupStaging {
    /// The folder, next to the file to be made.
    let folder: URL
    /// The file in the study that contains the folder's path.
    private let pathFile: URL
    /// The lock on the folder, held while the backup runs.
    private let lock: StoreLock?

    /// Creates the folder, after deleting those of killed backups.
    ///
    /// - Throws: ``Storage/FileAccessError``, ``Storage/StorageError``.
    init(for target: URL, of study: StudyFolder) throws {
        Self.removeAbandoned(of: study)
        Self.removeAbandoned(nextTo: target)
        let id = UUID().uuidString
        folder = target.deletingLastPathComponent().standardizedFileURL
            .appendingPathComponent(".\(target.lastPathComponent).\(id)", isDirectory: true)
        pathFile = Self.pathFiles(of: study).appendingPathComponent(id)
        // The path is stored before the folder is created, so that the folder is found whenever the process ends.
        if FileManager.default.fileExists(atPath: study.dataURL.path) {
            try? FileManager.default.createDirectory(
                at: Self.pathFiles(of: study), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
            try? PrivateFile.write(Data(folder.path.utf8), to: pathFile, permissions: 0o600)
        }
        do {
            try StudyBackupFiles.makeFolder(folder.path, permissions: 0o700)
            lock = try StoreLock(folder: folder.path)
        } catch {
            try? FileManager.default.removeItem(at: pathFile)
            throw error
        }
    }

    /// Deletes the folder and the file with its path.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: pathFile)
        withExtendedLifetime(lock) {}
    }

    private static func pathFiles(of study: StudyFolder) -> URL {
        study.dataURL.appendingPathComponent("backups-under-way", isDirectory: true)
    }

    /// Deletes the folders that killed backups of a study left: they contain health data that no process manages.
    package static func removeAbandoned(of study: StudyFolder) {
        let pathFiles = pathFiles(of: study)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: pathFiles.path)) ?? []
        where UUID(uuidString: name) != nil {
            let pathFile = pathFiles.appendingPathComponent(name)
            guard let text = FileManager.default.contents(atPath: pathFile.path).flatMap({ String(validUTF8: $0) }),
                text.hasSuffix("." + name), text.hasPrefix("/")
            else { continue }
            if remove(text) { try? FileManager.default.removeItem(at: pathFile) }
        }
    }

    /// Deletes the folders that killed backups to this file left, of any study.
    private static func removeAbandoned(nextTo target: URL) {
        let parent = target.deletingLastPathComponent()
        let prefix = ".\(target.lastPathComponent)."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(text: String(name.dropFirst(prefix.count))) != nil {
            _ = remove(parent.appendingPathComponent(name).path)
        }
    }

    /// Deletes a folder that no backup uses.
    ///
    /// - Returns: whether it no longer exists.
    private static func remove(_ folder: String) -> Bool {
        guard StudyBackupFiles.exists(folder) else { return true }
        guard let lock = try? StoreLock(folder: folder) else { return false }
        try? FileManager.default.removeItem(atPath: folder)
        withExtendedLifetime(lock) {}
        return !StudyBackupFiles.exists(folder)
    }
}
