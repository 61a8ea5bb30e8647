import Core
import FHIR
import Foundation
import Storage
import StudyKeys

/// The contents with which a study begins: consent, forms and settings, as files below the study's folder.
package struct StudyContents: Sendable {
    /// A file.
    package struct File: Sendable {
        /// The path in the study's folder.
        package let path: String
        /// The bytes of the file.
        package let data: Data

        package init(path: String, data: Data) {
            self.path = path
            self.data = data
        }
    }

    /// The files in the order in which they are written.
    package let files: [File]
    /// Whether the files make a complete study, which is checked. Otherwise they are drafts that the server ignores.
    package let isComplete: Bool

    /// The folders whose files a study publishes.
    private static let folders = ["consent", "consent/HTMLContent", "questionnaires", "profiles", "devices"]
    /// The files outside of these folders.
    private static let settings = ["health-types.json", "health-sync.json"]
    /// Maximum number of files.
    private static let maximumFiles = 2_000
    /// Maximum size of all files in bytes.
    private static let maximumBytes = 64 << 20

    /// Drafts with comments, to be completed and renamed.
    package static let starting = StudyContents(StartingFiles.all, isComplete: false)

    /// The example study: a consent, two forms, and the health data to follow.
    package static let example = StudyContents(ExampleStudyFiles.all, isComplete: true)

    private init(_ files: [(path: String, text: String)], isComplete: Bool) {
        self.files = files.map { path, text in
            // Forms are stored without white space.
            let json = path.hasPrefix("questionnaires/") ? try? JSON(parsing: text) : nil
            return File(path: path, data: Data((json.map { $0.text(.pretty) + "\n" } ?? text).utf8))
        }
        self.isComplete = isComplete
    }

    /// Reads the contents of another folder: the files in `consent/`, `questionnaires/`, `profiles/` and `devices/`,
    /// `health-types.json` and `health-sync.json`. Keys and data are never read.
    ///
    /// - Throws: ``ServerError`` `study-source-empty`, `study-source-invalid`, `study-source-too-large`;
    ///   ``Storage/FileAccessError``.
    package init(of source: URL) throws {
        var files: [File] = []
        var bytes = 0
        func read(_ path: String) throws {
            let url = source.appendingPathComponent(path)
            let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
            guard let type else { return }
            guard type == .typeRegular else {
                if type == .typeDirectory { return }
                throw ServerError(
                    code: "study-source-invalid",
                    message: "\(url.path) is neither a file nor a folder; copy the file itself.")
            }
            guard let data = try FileAccess.contents(of: url) else { return }
            bytes += data.count
            guard files.count < Self.maximumFiles, bytes <= Self.maximumBytes else {
                throw ServerError(
                    code: "study-source-too-large",
                    message:
                        "\(source.path) has more than \(Self.maximumFiles) files or \(Self.maximumBytes >> 20) MiB; remove what is not of the study."
                )
            }
            files.append(File(path: path, data: data))
        }
        for folder in Self.folders {
            let names = try FileAccess.names(in: source.appendingPathComponent(folder)) ?? []
            for name in names.sorted() where !name.hasPrefix(".") { try read("\(folder)/\(name)") }
        }
        for name in Self.settings { try read(name) }
        guard files.contains(where: { $0.path.hasPrefix("consent/") || $0.path.hasPrefix("questionnaires/") }) else {
            throw ServerError(
                code: "study-source-empty",
                message:
                    "\(source.path) has no files in consent/ or questionnaires/; name a folder of the form of a study.")
        }
        self.files = files
        isComplete = true
    }

    /// Writes the files into a study's folder, and checks a complete study as the server does.
    ///
    /// - Returns: the files and folders that were made, in this order.
    /// - Throws: ``ServerError`` `study-file-exists`, `study-check-failed`; an error of the file system. After an error,
    ///   no file of the contents is left.
    package func write(into folder: StudyFolder) throws -> [URL] {
        let manager = FileManager.default
        // Drafts do not mix with files that are there.
        let used = ["consent", "questionnaires"].filter { name in
            let names = (try? manager.contentsOfDirectory(atPath: folder.url.appendingPathComponent(name).path)) ?? []
            return names.contains { !$0.hasPrefix(".") }
        }
        if let name = used.first {
            guard isComplete else { return [] }
            throw ServerError(
                code: "study-file-exists",
                message: "There are files in \(name)/ already; nothing was changed. Name an empty folder.")
        }
        var made: [URL] = []
        do {
            for file in files {
                let url = folder.url.appendingPathComponent(file.path)
                guard !manager.fileExists(atPath: url.path) else {
                    if !isComplete { continue }
                    throw ServerError(
                        code: "study-file-exists", message: "There is a file \(file.path) already; nothing was changed."
                    )
                }
                let parent = url.deletingLastPathComponent()
                if !manager.fileExists(atPath: parent.path) {
                    try manager.createDirectory(at: parent, withIntermediateDirectories: true)
                    made.append(parent)
                }
                try PrivateFile.write(file.data, to: url, permissions: 0o644)
                made.append(url)
            }
            if isComplete { try StudyCheck(folder).requireContents() }
            return made
        } catch {
            for url in made.reversed() { try? manager.removeItem(at: url) }
            throw error
        }
    }
}
