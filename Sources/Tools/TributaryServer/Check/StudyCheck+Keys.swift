import Consumer
import Core
import Foundation

extension StudyCheck {
    /// The finding that a study with records has no private keys: after a restore without them, submissions cannot be opened.
    ///
    /// - Returns: nil where the keys are there, or are another account's, or where the folder is a receiver's, which has neither
    ///   keys nor records.
    func missingKeys() -> StudyFinding? {
        let files = FileManager.default
        let keys = folder.keys
        let isThere = files.fileExists(atPath: keys.url.path)
        guard isThere || files.fileExists(atPath: folder.dataURL.path) else { return nil }
        guard !isThere || files.isReadableFile(atPath: keys.url.path) else { return nil }
        guard let entries = try? keys.entries(), entries.isEmpty else { return nil }
        return StudyFinding(.error, Self.keysMissing, file: "keys/", missingKeysMessage)
    }

    static let keysMissing = "keys-missing"

    /// The problem of the private keys, for a server that opens submissions; nil where they open what phones seal.
    func keyProblem() -> (code: String, message: String)? {
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
        "There is no private key in \(folder.keys.url.path): no submission can be opened, and all of them wait. Put the copy of "
            + "keys/ back (0700, its files 0600); a backup holds none."
    }
}

extension StudyServer {
    /// Reports at the start what is wrong with the private keys. The server takes submissions all the same, and opens them when
    /// the keys are back.
    func reportKeys() {
        guard options.roles.contains(.consumer), let problem = StudyCheck(folder).keyProblem() else { return }
        logger.error("\(problem.message)", metadata: ["code": "\(problem.code)"])
    }
}
