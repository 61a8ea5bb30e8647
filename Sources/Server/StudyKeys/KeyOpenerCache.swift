import Foundation
import Wire

/// Opener for the current keys. Keys that change while the consumer runs are loaded without a restart.
package actor KeyOpenerCache {
    private let keyFiles: @Sendable () -> [String]
    private let load: @Sendable () throws -> [PrivateKey]
    private var current: (files: [String], opener: OpenSSLKeyOpener)?
    /// Increases when the set of keys changes.
    package private(set) var generation = 0

    /// Uses the keys of a folder.
    package init(folder: KeyFolder) {
        keyFiles = { folder.fileMarks() }
        load = { try folder.privateKeys() }
    }

    /// Uses fixed keys.
    package init(keys: [PrivateKey]) {
        keyFiles = { [] }
        load = { keys }
    }

    /// - Throws: ``StudyKeyError`` if the keys are temporarily missing: no folder, no key in it, a file that cannot be
    ///   read or that others can read. No message is decided about meanwhile.
    package func opener() throws -> OpenSSLKeyOpener {
        let files = keyFiles()
        if let current, current.files == files { return current.opener }
        let keys = try load()
        guard !keys.isEmpty else {
            throw StudyKeyError(
                code: "keys-missing",
                message: "No private key in keys/. Submissions are queued until a key is restored or generated.")
        }
        let opener = try OpenSSLKeyOpener(keys)
        current = (files, opener)
        generation += 1
        return opener
    }
}

extension KeyFolder {
    /// Returns the names and modes of the files: a key file is never rewritten, but its mode may be repaired.
    func fileMarks() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
        return names.map { name in
            let path = url.appendingPathComponent(name).path
            let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            return "\(name) \(mode?.intValue ?? 0)"
        }
    }
}
