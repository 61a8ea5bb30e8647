import Foundation
import Storage

/// Where the passphrase of the private keys comes from: a file that the operator names, or one of systemd's credentials
/// (<https://systemd.io/CREDENTIALS/>). It is read each time that a key file is: nothing keeps it.
public struct KeyPassphrase: Sendable {
    /// The variable that names the passphrase's file.
    public static let environmentName = "TRIBUTARY_KEY_PASSPHRASE_FILE"
    /// The name of systemd's credential.
    public static let credentialName = "tributary-key-passphrase"

    /// The fewest bytes of a passphrase.
    public static let leastBytes = 12
    private static let mostBytes = 1_024

    private let file: URL?
    /// systemd lets nobody but the unit read its credentials, by an access list that a file's mode does not show.
    private let isCredential: Bool

    /// The passphrase in a file; nil for none.
    public init(file: URL?) { self.init(file: file, isCredential: false) }

    /// The passphrase as a process's environment names it: a file (``environmentName``), else systemd's credential, if there
    /// is one.
    public init(environment: [String: String]) {
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

    /// The passphrase, without the line's end; nil where no file is named.
    ///
    /// - Throws: ``ConsumerError`` `key-passphrase-unreadable`, `key-passphrase-open` where others may read the file, or
    ///   `key-passphrase-unfit` for one that is too short or is no text.
    func text() throws -> String? {
        guard let file else { return nil }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue,
            let size = (attributes[.size] as? NSNumber)?.intValue, size <= Self.mostBytes,
            let bytes = FileManager.default.contents(atPath: file.path)
        else {
            let cause: String
            do throws(FileAccessError) {
                try FileAccess.require(file)
                cause = "The file \(file.path) holds no passphrase."
            } catch {
                cause = error.message
            }
            throw ConsumerError(
                code: "key-passphrase-unreadable", message: "The file of the keys' passphrase cannot be read. \(cause)")
        }
        guard isCredential || mode & 0o077 == 0 else {
            throw ConsumerError(
                code: "key-passphrase-open",
                message: "The file of the keys' passphrase can be read by others; make it 0600 (chmod 600).")
        }
        guard let text = String(data: bytes, encoding: .utf8)?.trimmingCharacters(in: .newlines),
            text.utf8.count >= Self.leastBytes, !text.utf8.contains(where: { $0 < 0x20 })
        else {
            throw ConsumerError(
                code: "key-passphrase-unfit",
                message: "The keys' passphrase must be one line of \(Self.leastBytes) to \(Self.mostBytes) bytes.")
        }
        return text
    }
}
