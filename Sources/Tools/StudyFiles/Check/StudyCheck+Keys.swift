import Core
import Foundation

extension StudyCheck {
    /// Returns the finding that a study with records has no private keys. After a restore without them, submissions
    /// cannot be opened.
    ///
    /// - Returns: nil if the keys exist or belong to another account, and for the folder of a receiver, which has
    ///   neither keys nor records.
    func missingKeys() -> StudyFinding? {
        let files = FileManager.default
        let keys = folder.keys
        let isThere = files.fileExists(atPath: keys.url.path)
        guard isThere || files.fileExists(atPath: folder.dataURL.path) else { return nil }
        guard !isThere || files.isReadableFile(atPath: keys.url.path) else { return nil }
        guard let entries = try? keys.entries(), entries.isEmpty else { return nil }
        return StudyFinding(.error, code: Self.keysMissing, file: "keys/", message: missingKeysMessage)
    }

    static let keysMissing = "keys-missing"

    /// Returns the problem of the private keys, for a server that opens submissions; nil if the keys can be used.
    package func keyProblem() -> (code: String, message: String)? {
        if let missing = missingKeys() { return (missing.code, missing.message) }
        do {
            guard try folder.keys.privateKeys().isEmpty else { return nil }
            return (Self.keysMissing, missingKeysMessage)
        } catch {
            let error = error as? any CodedError
            return (error?.code ?? "keys-unreadable", error?.message ?? "The keys in keys/ cannot be read.")
        }
    }

    private var missingKeysMessage: String {
        "There is no private key in \(folder.keys.url.path): submissions wait until one is restored. Put the copy of "
            + "keys/ back (0700, its files 0600); a backup holds none."
    }
}
