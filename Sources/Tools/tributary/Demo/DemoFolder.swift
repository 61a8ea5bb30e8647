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

    /// Returns lines that list the results, and commands to try on the study, for the folder in which the demonstration
    /// was started. Lines that begin with two spaces are commands for a shell, in this order.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - examples: the folder of the examples.
    ///   - port: the port at which the phones know the study's server.
    func guide(program: String, examples: URL, results: DemoResults, port: Int) -> [String] {
        let program = Self.typed(program)
        let study = Self.typed(study.url.path)
        func file(_ name: String) -> String { Self.typed(examples.appendingPathComponent("study/\(name)").path) }
        let phone = Self.typed(url.appendingPathComponent("phone-1").path)
        let form = file("questionnaires/mood-check.json")
        let answers = file("answers/mood-check-1.json")
        return [
            "The study is kept in \(url.path). To look at:",
            "- \(Self.typed(results.consent.path)): the consent that the first participant signed",
            "- \(Self.typed(results.healthReport.path)): the health data of the first participant",
            "- \(Self.typed(results.participantPage.path)): all data of the first participant",
            "To try:",
            "  \(program) study status \(study)",
            "  \(program) warehouse ontology \(study)",
            #"  \#(program) warehouse count \#(study) --path '\Tributary\Health\'"#,
            "  \(program) audit list \(study)",
            "To serve the study at the address that its phones know, in another terminal:",
            "  \(program) serve \(study) --port \(port)",
            "Then to read it as an app, and to answer a form with the first phone:",
            "  TOKEN=$(\(program) token create \(study) --role staff)",
            #"  curl -s -H "Authorization: Bearer $TOKEN" 'http://127.0.0.1:\#(port)/fhir/Observation?_count=3'"#,
            "  \(program) device answer --store \(phone) \(form) --answers \(answers)",
            "  \(program) device send --store \(phone)",
            "If that port is taken, serve at another one, and name it to the phone (`device address`).",
        ]
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
