import Foundation
import Storage

/// Source of the private keys' passphrase: a file that the operator configures, or a systemd credential
/// (<https://systemd.io/CREDENTIALS/>). The passphrase is read together with each key file and not stored.
package struct KeyPassphrase: Sendable {
    /// Environment variable with the path of the passphrase file.
    package static let environmentName = "TRIBUTARY_KEY_PASSPHRASE_FILE"
    /// Name of the systemd credential.
    package static let credentialName = "tributary-key-passphrase"

    /// Minimum length of a passphrase in bytes.
    package static let minimumBytes = 12
    private static let maximumBytes = 1_024

    private let file: URL?
    /// Only the unit can read its systemd credentials, through an access list that the file mode does not show.
    private let isCredential: Bool

    /// Uses the passphrase in a file; nil for none.
    package init(file: URL?) { self.init(file: file, isCredential: false) }

    /// Uses the source that the environment specifies: a file (``environmentName``), otherwise a systemd credential, if
    /// there is one.
    package init(environment: [String: String]) {
        if let path = environment[Self.environmentName], !path.isEmpty {
            self.init(file: URL(fileURLWithPath: path))
            return
        }
        let credential = environment["CREDENTIALS_DIRECTORY"].map {
            URL(fileURLWithPath: $0, isDirectory: true).appendingPathComponent(Self.credentialName)
        }
        self.init(
            file: credential.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }, isCredential: true)
    }

    private init(file: URL?, isCredential: Bool) {
        self.file = file
        self.isCredential = isCredential
    }

    /// Returns the passphrase without its line break; nil if there is no file.
    ///
    /// - Throws: ``StudyKeyError`` `key-passphrase-unreadable`, `key-passphrase-open` if others may read the file, or
    ///   `key-passphrase-unfit` if it is too short or not text.
    func text() throws -> String? {
        guard let file else { return nil }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue,
            let size = (attributes[.size] as? NSNumber)?.intValue, size <= Self.maximumBytes,
            let bytes = FileManager.default.contents(atPath: file.path)
        else {
            let cause: String
            do throws(FileAccessError) {
                try FileAccess.require(file)
                cause = "The file \(file.path) contains no passphrase."
            } catch {
                cause = error.message
            }
            throw StudyKeyError(
                code: "key-passphrase-unreadable", message: "The passphrase file of the keys cannot be read. \(cause)")
        }
        guard isCredential || mode & 0o077 == 0 else {
            throw StudyKeyError(
                code: "key-passphrase-open",
                message: "The passphrase file of the keys can be read by others; make it 0600 (chmod 600).")
        }
        guard let text = String(data: bytes, encoding: .utf8)?.trimmingCharacters(in: .newlines),
            text.utf8.count >= Self.minimumBytes, !text.utf8.contains(where: { $0 < 0x20 })
        else {
            throw StudyKeyError(
                code: "key-passphrase-unfit",
                message: "The keys' passphrase must be one line of \(Self.minimumBytes) to \(Self.maximumBytes) bytes.")
        }
        return text
    }
}
