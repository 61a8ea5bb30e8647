import Foundation
import Wire

/// The opener over the keys as they are now: keys that are rotated while the consumer runs are read without a new start.
public actor KeyOpenerCache {
    private let keyFiles: @Sendable () -> [String]
    private let load: @Sendable () throws -> [PrivateKey]
    private var current: (files: [String], opener: OpenSSLKeyOpener)?
    /// Grows when other keys are there than before.
    public private(set) var generation = 0

    /// The keys of a folder.
    public init(folder: KeyFolder) {
        keyFiles = { folder.fileMarks() }
        load = { try folder.privateKeys() }
    }

    /// Keys that never change.
    public init(keys: [PrivateKey]) {
        keyFiles = { [] }
        load = { keys }
    }

    /// - Throws: ``ConsumerError`` where the keys are away for the moment: no folder, no key in it, a file that cannot be
    ///   read or that others can read. Nothing is decided about a message meanwhile.
    public func opener() throws -> OpenSSLKeyOpener {
        let files = keyFiles()
        if let current, current.files == files { return current.opener }
        let keys = try load()
        guard !keys.isEmpty else {
            throw ConsumerError(
                code: "keys-missing",
                message: "There is no private key in keys/; what comes waits. Bring the keys back, or make some.")
        }
        let opener = try OpenSSLKeyOpener(keys)
        current = (files, opener)
        generation += 1
        return opener
    }
}

extension KeyFolder {
    /// The names and modes of the files: a key file is never written twice, but it may be made readable again.
    func fileMarks() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
        return names.map { name in
            let path = url.appendingPathComponent(name).path
            let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            return "\(name) \(mode?.intValue ?? 0)"
        }
    }
}
