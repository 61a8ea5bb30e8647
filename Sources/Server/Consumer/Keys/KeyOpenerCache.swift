import Foundation
import Wire

/// The opener over the keys as they are now: keys that are rotated while the consumer runs are read without a new start.
public actor KeyOpenerCache {
    private let keyFiles: @Sendable () -> [String]
    private let load: @Sendable () throws -> [PrivateKey]
    private var current: (files: [String], opener: OpenSSLKeyOpener)?

    /// The keys of a folder.
    public init(folder: KeyFolder) {
        keyFiles = { (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()) ?? [] }
        load = { try folder.privateKeys() }
    }

    /// Keys that never change.
    public init(keys: [PrivateKey]) {
        keyFiles = { [] }
        load = { keys }
    }

    /// - Throws: ``ConsumerError`` for a key file that cannot be read.
    public func opener() throws -> OpenSSLKeyOpener {
        // The names tell enough: a key file is never written twice.
        let files = keyFiles()
        if let current, current.files == files { return current.opener }
        let opener = try OpenSSLKeyOpener(try load())
        current = (files, opener)
        return opener
    }
}
