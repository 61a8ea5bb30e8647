import Authorization
import Foundation
import Storage
import StudyKeys

extension StudyFolder {
    /// The folder of the keys that sign id tokens: 0700, each file 0600. No backup contains it: a new key is made if
    /// there is none, and apps fetch its public key.
    package var signingKeysURL: URL { url.appendingPathComponent("signing-keys", isDirectory: true) }

    private static let signingSuffix = ".private.pem"

    /// Reads the keys, the newest first; makes one if there is none.
    ///
    /// - Throws: ``ServerError`` `signing-keys-open` if other accounts may read them; ``StudyKeys/StudyKeyError``,
    ///   ``Authorization/SigningKeyError``.
    package func signingKeys(now: Date) throws -> [SigningKey] {
        let files = FileManager.default
        try files.createDirectory(
            at: signingKeysURL, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try requirePrivate(signingKeysURL)
        var names = try files.contentsOfDirectory(atPath: signingKeysURL.path).filter {
            $0.hasSuffix(Self.signingSuffix) && !$0.hasPrefix(".")
        }
        if names.isEmpty {
            let key = try SigningKey.generate()
            // Names begin with the time, so that the newest is last.
            let name = "\(Int(now.timeIntervalSince1970))-\(key.keyID.prefix(12))" + Self.signingSuffix
            try PrivateFile.write(
                Data(key.pem.utf8), to: signingKeysURL.appendingPathComponent(name), permissions: 0o600)
            names = [name]
        }
        return try names.sorted(by: >).map { name in
            let file = signingKeysURL.appendingPathComponent(name)
            try requirePrivate(file)
            guard let pem = try FileAccess.contents(of: file) else { throw SigningKeyError() }
            return try SigningKey(pem: String(decoding: pem, as: UTF8.self))
        }
    }

    private func requirePrivate(_ file: URL) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        guard let permissions = attributes[.posixPermissions] as? NSNumber, permissions.intValue & 0o077 == 0 else {
            throw ServerError(
                code: "signing-keys-open",
                message: "signing-keys/ and the files in it must be for their owner alone (chmod 700, 600).")
        }
    }
}
