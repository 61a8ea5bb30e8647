import Core
import Foundation

extension StudyCheck {
    /// Returns findings about the store of links and the key that signs them, if this account may read them. Other
    /// accounts must not.
    func linkFindings() -> [StudyFinding] {
        var findings: [StudyFinding] = []
        let files = FileManager.default
        func mode(_ url: URL) -> Int? {
            (try? files.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
        }
        for (url, name, wanted) in [
            (folder.linksURL, "links/", "0700"), (folder.linkStoreURL, "links/links.sqlite", "0600"),
        ] {
            guard let mode = mode(url), mode & 0o077 != 0 else { continue }
            findings.append(
                StudyFinding(
                    .error, code: "links-open", file: name,
                    message:
                        "It links participants with persons, and accounts other than its owner may open it. Make it \(wanted)."
                ))
        }
        guard files.isReadableFile(atPath: folder.keys.url.path) else { return findings }
        let key = "keys/" + folder.keys.linkKeyURL.lastPathComponent
        do {
            if try folder.keys.linkKey() == nil, files.fileExists(atPath: folder.linkStoreURL.path) {
                findings.append(
                    StudyFinding(
                        .error, code: "link-key-missing", file: key,
                        message: "There are links, but the key that signed them is missing: links are refused for now.")
                )
            }
        } catch {
            let error = error as? any CodedError
            findings.append(
                StudyFinding(
                    .error, code: error?.code ?? "keys-unreadable", file: key,
                    message: error?.message ?? "It cannot be read."))
        }
        return findings
    }
}
