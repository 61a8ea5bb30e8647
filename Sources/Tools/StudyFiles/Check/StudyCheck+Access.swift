import Foundation
import Storage

extension StudyCheck {
    /// Returns findings for published files and folders that this account cannot read. A server that skipped one would
    /// not publish the study in the folder.
    func accessFindings() -> [StudyFinding] {
        let files = [
            folder.publicKeysURL, folder.keys.signedSetURL, folder.healthTypesURL, folder.healthSyncURL,
        ]
        let folders = [
            folder.consentURL, folder.questionnairesURL, folder.profilesURL, folder.devicesURL, folder.receiptRootsURL,
        ]
        let inside = isReadable(folder.consentURL) ? Array(folder.consentFiles.folders.dropFirst()) : []
        return files.flatMap { findings(ofFile: $0) } + (folders + inside).flatMap(findings(ofFolder:))
    }

    /// Whether a file or folder can be read or does not exist.
    func isReadable(_ url: URL) -> Bool { findings(ofFile: url).isEmpty }

    private func findings(ofFolder url: URL) -> [StudyFinding] {
        let names: [String]
        do throws(FileAccessError) {
            names = try FileAccess.names(in: url) ?? []
        } catch {
            return [finding(of: url, error)]
        }
        return names.filter { !$0.hasPrefix(".") }.flatMap { findings(ofFile: url.appendingPathComponent($0)) }
    }

    private func findings(ofFile url: URL) -> [StudyFinding] {
        do throws(FileAccessError) {
            try FileAccess.require(url)
            return []
        } catch {
            return error.cause == .missing ? [] : [finding(of: url, error)]
        }
    }

    private func finding(of url: URL, _ error: FileAccessError) -> StudyFinding {
        let name = url.path.replacingOccurrences(of: folder.url.path + "/", with: "")
        return StudyFinding(.error, code: error.code, file: name, message: error.message)
    }
}
