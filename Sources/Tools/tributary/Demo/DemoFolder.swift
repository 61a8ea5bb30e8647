import Foundation
import Storage
import TributaryServer

/// The folder where the demonstration makes its study and its phones.
struct DemoFolder {
    let url: URL
    /// Whether the folder stays when the demonstration ends.
    let isKept: Bool

    /// Stands in a kept folder. A folder without it is somebody's own, and is never removed.
    static let marker = ".tributary-demo"

    /// Makes the folder: a temporary one, or the one to keep, anew where an earlier demonstration kept it.
    ///
    /// - Throws: ``CommandError`` `demo-folder-not-ours` where something else stands there, `demo-folder-in-use` where a
    ///   server works on the study in it.
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
        try Data("A demonstration: `tributary demo --keep` removes this folder and makes it anew.\n".utf8)
            .write(to: folder.url.appendingPathComponent(Self.marker))
        return folder
    }

    /// Removes what an earlier demonstration kept.
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

    /// Removes the folder unless it is kept.
    func end() {
        if !isKept { try? FileManager.default.removeItem(at: url) }
    }

    var study: StudyFolder { StudyFolder(path: url.appendingPathComponent("study").path) }

    /// Commands to try on the study, as they are typed in the folder that the demonstration was started in.
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

    /// The path from the current folder where it is below it, in quotes where a shell needs them.
    private static func typed(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        let short = path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        let plain = short.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "/._-".utf8.contains($0)
        }
        return plain ? short : "'" + short.replacing("'", with: #"'\''"#) + "'"
    }
}
