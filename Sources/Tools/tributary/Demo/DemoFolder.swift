import DeviceCommands
import Foundation
import Storage
import StudyFiles

/// The folder for the demonstration's study and phones.
struct DemoFolder {
    let url: URL
    /// Whether the folder is kept when the demonstration ends.
    let isKept: Bool

    /// The name of the marker in a kept folder. A folder without it belongs to the user, and is never deleted.
    static let marker = ".tributary-demo"

    /// Creates the folder: a temporary one, or the one to keep, replacing that of an earlier demonstration.
    ///
    /// - Throws: ``CommandError`` `demo-folder-not-ours` if the folder has other content, `demo-folder-in-use` if a
    ///   server uses the study in it.
    static func make(keeping path: String?) throws -> DemoFolder {
        let files = FileManager.default
        guard let path else {
            let url = files.temporaryDirectory.appendingPathComponent("tributary-demo-\(UUID().uuidString)")
            try files.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return DemoFolder(url: url, isKept: false)
        }
        let folder = DemoFolder(url: URL(fileURLWithPath: path, isDirectory: true), isKept: true)
        try folder.clear()
        try files.createDirectory(
            at: folder.url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data("A demonstration: `tributary demo --keep` removes this folder and creates it again.\n".utf8)
            .write(to: folder.url.appendingPathComponent(Self.marker))
        return folder
    }

    /// Deletes the folder of an earlier demonstration.
    private func clear() throws {
        let files = FileManager.default
        guard let attributes = try? files.attributesOfItem(atPath: url.path) else { return }
        let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
        if isFolder, (try? files.contentsOfDirectory(atPath: url.path))?.isEmpty == true { return }
        guard isFolder, files.fileExists(atPath: url.appendingPathComponent(Self.marker).path) else {
            throw CommandError(
                "demo-folder-not-ours",
                "\(url.path) was not made by the demonstration and stays as it is; name a folder that does not exist.")
        }
        let records = study.defaultRecordsURL.path
        if files.fileExists(atPath: records), try StoreLock(storePath: records) == nil {
            throw CommandError(
                "demo-folder-in-use", "A server works on the study in \(url.path); stop it first.")
        }
        try files.removeItem(at: url)
    }

    /// Deletes the folder unless it is kept.
    func end() {
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }

    var study: StudyFolder { StudyFolder(path: url.appendingPathComponent("study").path) }

    /// Returns commands to try on the study, for the folder in which the demonstration was started.
    ///
    /// - Parameter program: the path of the program.
    func commands(program: String) -> [String] {
        let program = Self.typed(program)
        let study = Self.typed(study.url.path)
        return [
            "study status \(study)", "warehouse ontology \(study)",
            #"warehouse count \#(study) --path '\Tributary\Health\'"#, "audit list \(study)",
            "serve \(study) --port 8080",
        ].map { "\(program) \($0)" }
    }

    /// Returns the path, relative to the current folder if it is below it, quoted if a shell requires that.
    static func typed(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        let short = path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        let plain = short.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "/._-".utf8.contains($0)
        }
        return plain ? short : "'" + short.replacing("'", with: #"'\''"#) + "'"
    }
}
