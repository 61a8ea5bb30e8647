import Foundation
import InformedConsent

extension StudyCheck {
    /// Returns findings about files of a folder that the server ignores.
    ///
    /// - Parameter named: the names of files that others in the folder refer to, also without `.html`.
    func strayFindings(in url: URL, named: Set<String>) -> [StudyFinding] {
        let folder = url.lastPathComponent
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.sorted().compactMap { name -> StudyFinding? in
            // Drafts are renamed when they are ready; consents in Markdown are checked as Contracts.
            guard !name.hasPrefix("."), !name.hasSuffix(".json"), !name.hasSuffix(".draft"),
                name.lowercased() != "readme.md", !isConsent(name, in: url)
            else { return nil }
            let stem = name.hasSuffix(".html") ? String(name.dropLast(5)) : name
            guard !named.contains(name), !named.contains(stem) else { return nil }
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return nil }
            let file = "\(folder)/\(name)"
            if name.hasSuffix(".answers") {
                return StudyFinding(
                    .warning, code: "survey-unfinished", file: file,
                    message:
                        "It has a person's answers of a `tributary survey run` that was interrupted: finish that, or delete the file."
                )
            }
            return StudyFinding(
                .warning, code: "file-not-read", file: file,
                message:
                    "The server does not read it: files of \(folder)/ are JSON and end in .json. Convert it, or move it elsewhere."
            )
        }
    }

    private func isConsent(_ name: String, in url: URL) -> Bool {
        url == folder.consentURL && ConsentMarkdown.isFileName(name)
    }
}
