import Core
import Crypto
import FHIR
import Foundation
import Receiver
import StudyFiles
import StudyKeys

extension StudyFolder {
    /// Creates a study's folder with keys. Fails if there is a study already.
    ///
    /// - Parameter antispam: the token that apps send; only its hash is stored.
    package func make(_ configuration: StudyConfiguration, antispam: String, now: Date) throws {
        let files = FileManager.default
        if files.fileExists(atPath: configurationURL.path) || files.fileExists(atPath: keys.url.path) {
            throw ServerError(
                code: "study-exists", message: "There is a study in this folder already; nothing was changed.")
        }
        let isNew = !files.fileExists(atPath: url.path)
        try files.createDirectory(at: url, withIntermediateDirectories: true)
        // Modes are set whatever the umask: the receiver's account reads the published files.
        if isNew { try StudyBackupFiles.restrict(url.path, to: 0o755) }
        for folder in [consentURL, questionnairesURL, receiptRootsURL] {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            try StudyBackupFiles.restrict(folder.path, to: 0o755)
        }
        for folder in [keys.url, dataURL] {
            try files.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try write(Hexadecimal.text(SHA256.hash(data: Data(antispam.utf8))) + "\n", to: antispamURL, permissions: 0o640)
        try write(
            "keys/\nsigning-keys/\nqueue/\ndata/\nlinks/\ndeletions/\nexports/\naudit-anchors/\nantispam.sha256\n",
            to: url.appendingPathComponent(".gitignore"),
            permissions: 0o644)
        _ = try keys.generate(now: now)
        _ = try keys.makeRootKey()
        try keys.publish(study: configuration.id, now: now)
        if configuration.development {
            let root = try AppReceipt.makeDevelopmentRoot()
            try keys.writePrivate(root.privateKeyPEM, to: developmentRootKeyURL.lastPathComponent)
            try write(root.certificatePEM, to: developmentRootURL, permissions: 0o644)
        }
        // Last, because its existence makes the folder a study.
        try write(configuration.json.text(.pretty) + "\n", to: configurationURL, permissions: 0o644)
    }

    private func write(_ text: String, to file: URL, permissions: mode_t) throws {
        try PrivateFile.write(Data(text.utf8), to: file, permissions: permissions)
    }
}
