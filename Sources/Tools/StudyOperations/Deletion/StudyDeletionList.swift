import Audit
import Consumer
import Core
import Foundation
import Identity
import Storage
import StudyFiles
import StudyKeys

/// The participants whom a study deleted, by keyed digests of their ids, in a file next to its stores
/// (`deletions/list.json`).
///
/// No backup contains the file and no restore replaces it, so that a backup older than a deletion cannot restore a
/// deleted participant.
package struct StudyDeletionList: Sendable, Hashable {
    static let format = "tributary-deletions"
    static let version = 1
    /// Maximum bytes of the file: about 120 bytes for each participant.
    static let largestFile = 64 << 20

    package let studyID: String
    /// The key of the digests. With the key and a participant's id, one can find out whether the participant was
    /// deleted.
    let key: Data
    /// The time of each deletion by digest.
    private(set) var deletions: [String: Date] = [:]

    /// Creates an empty list.
    init(studyID: String, key: Data) {
        self.studyID = studyID
        self.key = key
    }

    mutating func add(_ digest: String, at date: Date) {
        if deletions[digest] == nil { deletions[digest] = date }
    }

    mutating func add(_ entries: [DeletionRegister.Entry]) {
        for entry in entries { add(entry.digest, at: entry.deletedAt) }
    }

    /// Reads a study's list; nil if there is none.
    ///
    /// - Throws: ``ServerError`` `deletions-invalid`, `deletions-mismatch` for the list of another study.
    static func read(_ file: URL, studyID: String) throws -> StudyDeletionList? {
        guard StudyBackupFiles.exists(file.path) else { return nil }
        try FileAccess.require(file)
        guard StudyBackupFiles.size(file.path) ?? .max <= largestFile,
            let data = FileManager.default.contents(atPath: file.path), let json = try? JSON(data),
            json["format"]?.string == format, json["version"]?.integer == version,
            let study = json["study"]?.string, let key = json["digestKey"]?.string.flatMap({ Data(base64URL: $0) }),
            key.count == 32, let stated = json["participants"]?.array
        else {
            throw ServerError(
                code: "deletions-invalid",
                message:
                    "The list of deleted participants in \(file.lastPathComponent) is unreadable; restore a copy of it."
            )
        }
        guard study == studyID else {
            throw ServerError(
                code: "deletions-mismatch",
                message: "The list of deleted participants is that of another study than \(studyID).")
        }
        var list = StudyDeletionList(studyID: study, key: key)
        for entry in stated {
            guard let digest = entry["digest"]?.string, SecretDigest(hex: digest) != nil,
                let date = entry["deletedAt"]?.string.flatMap(SQLTimestamp.date)
            else {
                throw ServerError(
                    code: "deletions-invalid", message: "The list of deleted participants contains an invalid digest.")
            }
            list.add(digest, at: date)
        }
        return list
    }

    /// Writes the list atomically and durably, for the owner only.
    ///
    /// - Throws: ``StudyKeys/StudyKeyError`` `file-unwritable`.
    func write(to file: URL) throws {
        let entries = deletions.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let json: JSON = [
            "format": .string(Self.format), "version": .number(JSONNumber(Self.version)), "study": .string(studyID),
            "digestKey": .string(key.base64URL),
            "participants": .array(
                entries.map { ["digest": .string($0.key), "deletedAt": .string(SQLTimestamp.text($0.value))] }),
        ]
        try PrivateFile.write(Data((json.text(.pretty) + "\n").utf8), to: file, permissions: 0o600)
    }
}
