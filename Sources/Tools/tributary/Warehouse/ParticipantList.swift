import DeviceCommands
import Foundation
import Warehouse

/// A file of participants' ids, one per line.
enum ParticipantList {
    /// Maximum bytes of a file.
    private static let maximumBytes = 128 << 20

    /// Returns the ids of a file, in its order; blank lines are ignored.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: ``CommandError`` `file-unreadable`, `participants-invalid`.
    static func read(_ path: String) throws -> [String] {
        let data = try CommandInput.file(path)
        guard data.count <= maximumBytes, let text = String(data: data, encoding: .utf8) else {
            throw CommandError(
                "participants-invalid", "\(path) is no list of participants: UTF-8 of up to 128 MB, one id per line.")
        }
        let ids = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard ids.count <= CohortQuery.maximumListed, !ids.contains(where: { $0.utf8.count > 200 }) else {
            throw CommandError(
                "participants-invalid",
                "\(path) is no list of participants: up to \(CohortQuery.maximumListed) lines, each a Patient's id.")
        }
        return ids
    }

    /// Writes the ids, readable only by the owner of the file.
    ///
    /// - Throws: ``CommandError`` `file-exists`, `file-unwritable`.
    static func write(_ ids: [String], to path: String, replaces: Bool) throws {
        let text = ids.map { $0 + "\n" }.joined()
        try OutputFile.write(Data(text.utf8), to: path, replaces: replaces)
    }
}
