import FHIR
import Foundation
import Storage
import StudyFiles

/// The first entry of a backup: its study, its stores and its files.
struct StudyBackupManifest: Sendable, Hashable {
    /// One file of the backup.
    struct Member: Sendable, Hashable {
        let path: String
        let bytes: Int64
        /// Lowercase hexadecimal digits.
        let sha256: String
    }

    static let name = "manifest.json"
    static let queue = "queue.sqlite"
    static let records = "records.sqlite"
    /// Only in the backup of a study with accounts.
    static let people = "people.sqlite"
    static let study = "study/study.json"
    static let format = "tributary-backup"
    /// The newest format. A backup without a people store has format 1, which earlier versions restore too.
    static let version = 2
    /// Limits of a study's own files. A backup beyond them is refused when it is made.
    static let maximumMembers = 10_000
    static let largestFile: Int64 = 64 << 20
    static let largestManifest = 8 << 20

    let studyID: String
    /// The time of the backup (see ``Storage/SQLTimestamp``).
    let time: String
    let queueID: String
    let epoch: Int64
    let members: [Member]

    /// Whether the backup contains a people store.
    var hasPeople: Bool { members.contains { $0.path == Self.people } }

    init(studyID: String, time: String, queueID: String, epoch: Int64, members: [Member]) {
        self.studyID = studyID
        self.time = time
        self.queueID = queueID
        self.epoch = epoch
        self.members = members
    }

    /// - Throws: ``ServerError`` `backup-damaged`, or `backup-newer` for a format that this version does not know.
    init(_ data: Data) throws {
        guard let json = try? JSON(data), json["format"]?.string == Self.format, let version = json["version"]?.integer
        else { throw StudyBackup.damaged("its manifest cannot be read") }
        guard version <= Self.version else {
            throw ServerError(
                code: "backup-newer", message: "The backup was made by a newer version; restore it with that version.")
        }
        guard let studyID = json["study"]?.string, let time = json["time"]?.string, let queueID = json["queue"]?.string,
            let epoch = json["epoch"]?.integer, let stated = json["members"]?.array, stated.count <= Self.maximumMembers
        else { throw StudyBackup.damaged("its manifest is not complete") }
        let members = try stated.map { member in
            guard let path = member["path"]?.string, let bytes = member["bytes"]?.integer, bytes >= 0,
                let sha256 = member["sha256"]?.string, Self.isAllowed(path),
                path.hasSuffix(".sqlite") || bytes <= Self.largestFile
            else { throw StudyBackup.damaged("its manifest names a file that no backup has") }
            return Member(path: path, bytes: Int64(bytes), sha256: sha256)
        }
        let paths = Set(members.map(\.path))
        guard paths.count == members.count, paths.isSuperset(of: [Self.queue, Self.records, Self.study]) else {
            throw StudyBackup.damaged("its manifest is not complete")
        }
        self.init(studyID: studyID, time: time, queueID: queueID, epoch: Int64(epoch), members: members)
    }

    var data: Data {
        let json: JSON = [
            "format": .string(Self.format), "version": .number(JSONNumber(hasPeople ? Self.version : 1)),
            "study": .string(studyID),
            "time": .string(time), "queue": .string(queueID), "epoch": .number(JSONNumber(Int(epoch))),
            "members": .array(
                members.map {
                    [
                        "path": .string($0.path), "bytes": .number(JSONNumber(Int($0.bytes))),
                        "sha256": .string($0.sha256),
                    ]
                }),
        ]
        return Data((json.text(.pretty) + "\n").utf8)
    }

    // MARK: - Which files

    /// The study's files that a backup contains; its keys are never included.
    static let files = [
        "antispam.sha256", "health-sync.json", "health-types.json", "jwks.json", "jwks.jws", "study.json",
    ]
    /// The study's folders whose contents a backup contains.
    static let folders = ["consent", "devices", "profiles", "questionnaires", "receipt-roots"]

    /// Whether a backup may contain a file with this name. Only this function decides which files a restore writes.
    static func isAllowed(_ path: String) -> Bool {
        if [queue, records, people].contains(path) { return true }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.utf8.count <= 1000, (2...10).contains(parts.count), parts[0] == "study",
            parts.allSatisfy({ part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 255
                    && part.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" }
            })
        else { return false }
        let name = String(parts[1])
        return parts.count == 2 ? files.contains(name) : folders.contains(name)
    }
}
