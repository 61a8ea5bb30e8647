import Accounts
import Core
import Foundation
import Storage

extension StudyCheck {
    /// Returns findings about the people store and the mail server of a study with accounts, and about what a study
    /// without accounts has left of them.
    func peopleFindings(_ configuration: StudyConfiguration) -> [StudyFinding] {
        guard let accounts = configuration.accounts else { return unusedPeopleFindings(configuration) }
        var store: URL? = folder.defaultPeopleURL
        if let stated = configuration.people {
            // A store on a server has no file.
            let location = try? StoreLocation(stated, below: folder.url)
            store = location?.path.map { URL(fileURLWithPath: $0) }
        }
        return (store.map(peopleFileFindings) ?? []) + (accounts.mail.map(mailFindings) ?? [])
    }

    private func unusedPeopleFindings(_ configuration: StudyConfiguration) -> [StudyFinding] {
        var findings: [StudyFinding] = []
        if configuration.people != nil {
            findings.append(
                StudyFinding(
                    .warning, code: "people-without-accounts", file: "study.json", path: "people",
                    message: "It is the location of a people store, but the study has no accounts."))
        }
        if FileManager.default.fileExists(atPath: folder.defaultPeopleURL.path) {
            findings.append(
                StudyFinding(
                    .warning, code: "people-without-accounts", file: name(of: folder.defaultPeopleURL),
                    message: "The study has no accounts, so no server uses this store, and no backup contains it. "
                        + "Add \"accounts\" to study.json again, or delete the file."))
        }
        return findings
    }

    /// Returns the finding that other accounts of the machine may open the store.
    private func peopleFileFindings(_ url: URL) -> [StudyFinding] {
        guard let mode = mode(of: url), mode & 0o077 != 0 else { return [] }
        return [
            StudyFinding(
                .error, code: "people-open", file: name(of: url),
                message: "It contains the data of account holders, and accounts other than its owner may open it. "
                    + "Make it 0600.")
        ]
    }

    /// Returns findings about the files that the configuration of the mail server names, if this account may read their
    /// folders. A receiver's account must not.
    private func mailFindings(_ mail: MailConfiguration) -> [StudyFinding] {
        var findings: [StudyFinding] = []
        func check(_ path: String?, member: String, _ body: (URL) throws -> Void) {
            guard let path else { return }
            let url = URL(fileURLWithPath: path, relativeTo: folder.url)
            let parent = url.deletingLastPathComponent().path
            let files = FileManager.default
            guard !files.fileExists(atPath: parent) || files.isExecutableFile(atPath: parent) else { return }
            do {
                try body(url)
            } catch {
                let error = error as? any CodedError
                findings.append(
                    StudyFinding(
                        .error, code: error?.code ?? "file-unreadable", file: "study.json",
                        path: "accounts.mail.\(member)", message: error?.message ?? "The file cannot be read."))
            }
        }
        check(mail.passwordFile, member: "passwordFile") { _ in _ = try mail.password(in: folder.url) }
        check(mail.ca, member: "ca") { try FileAccess.require($0) }
        return findings
    }

    private func mode(of url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Returns the path of a file as findings show it: below the study's folder if it is there.
    private func name(of url: URL) -> String {
        let root = folder.url.standardizedFileURL.path + "/"
        let path = url.standardizedFileURL.path
        return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }
}
