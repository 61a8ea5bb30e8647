import Consumer
import Core
import Foundation
import Storage

/// The folder in which a backup is made, with the copies of the stores. A backup that is killed leaves it; the next backup of
/// the study, to whatever file, removes it, and so does the start of its server.
struct StudyBackupStaging {
    /// The folder, beside the file that is to be made.
    let folder: URL
    /// The note of the folder in the study.
    private let note: URL
    /// A backup that works holds a lock on its folder.
    private let lock: StoreLock?

    /// Makes the folder, after what killed backups left is gone.
    ///
    /// - Throws: ``Storage/FileAccessError``, ``Storage/StorageError``.
    init(for target: URL, of study: StudyFolder) throws {
        Self.removeAbandoned(of: study)
        Self.removeAbandoned(beside: target)
        let id = UUID().uuidString
        folder = target.deletingLastPathComponent().standardizedFileURL
            .appendingPathComponent(".\(target.lastPathComponent).\(id)", isDirectory: true)
        note = Self.notes(of: study).appendingPathComponent(id)
        // The note is there before the folder: whenever the process ends, the folder is found by it.
        if FileManager.default.fileExists(atPath: study.dataURL.path) {
            try? FileManager.default.createDirectory(
                at: Self.notes(of: study), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try? PrivateFile.write(Data(folder.path.utf8), to: note, permissions: 0o600)
        }
        do {
            try StudyBackupFiles.makeFolder(folder.path, permissions: 0o700)
            lock = try StoreLock(folder: folder.path)
        } catch {
            try? FileManager.default.removeItem(at: note)
            throw error
        }
    }

    /// Removes the folder and its note.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: note)
        withExtendedLifetime(lock) {}
    }

    private static func notes(of study: StudyFolder) -> URL {
        study.dataURL.appendingPathComponent("backups-under-way", isDirectory: true)
    }

    /// Removes the folders that killed backups of a study left: health data that no one looks after.
    static func removeAbandoned(of study: StudyFolder) {
        let notes = notes(of: study)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: notes.path)) ?? []
        where UUID(uuidString: name) != nil {
            let note = notes.appendingPathComponent(name)
            guard let text = FileManager.default.contents(atPath: note.path).flatMap({ String(validUTF8: $0) }),
                text.hasSuffix("." + name), text.hasPrefix("/")
            else { continue }
            if remove(text) { try? FileManager.default.removeItem(at: note) }
        }
    }

    /// Removes the folders that killed backups to this file left, of whichever study.
    private static func removeAbandoned(beside target: URL) {
        let parent = target.deletingLastPathComponent()
        let prefix = ".\(target.lastPathComponent)."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(text: String(name.dropFirst(prefix.count))) != nil {
            _ = remove(parent.appendingPathComponent(name).path)
        }
    }

    /// Removes a folder that no backup works in.
    ///
    /// - Returns: whether it is gone.
    private static func remove(_ folder: String) -> Bool {
        guard StudyBackupFiles.exists(folder) else { return true }
        guard let lock = try? StoreLock(folder: folder) else { return false }
        try? FileManager.default.removeItem(atPath: folder)
        withExtendedLifetime(lock) {}
        return !StudyBackupFiles.exists(folder)
    }
}
