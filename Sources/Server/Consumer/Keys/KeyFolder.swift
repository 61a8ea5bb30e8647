import Foundation
import Wire

/// The private keys that open submissions: PEM files in one folder, 0700, each file 0600.
///
/// A key's file name begins with the time it was made, so that the newest key of a kind is the current one; older ones
/// stay to open older messages. Besides this folder a copy of the public halves is kept for the receiver, which never
/// reads the folder.
public struct KeyFolder: Sendable {
    /// The folder of the private keys.
    public let url: URL
    /// Where the public halves are written, as a JWK set.
    public let publicSetURL: URL

    public init(url: URL, publicSetURL: URL) {
        self.url = url
        self.publicSetURL = publicSetURL
    }

    /// One key with its file.
    public struct Entry: Sendable {
        public let file: String
        public let key: PrivateKey
        /// Whether new messages are sealed to it.
        public let isCurrent: Bool
    }

    /// All keys, the newest first; none where the folder is not there.
    ///
    /// - Throws: ``ConsumerError`` for a folder or file that cannot be read, or is open to others than its owner.
    public func entries() throws -> [Entry] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            guard FileManager.default.fileExists(atPath: url.path) else { return [] }
            throw ConsumerError(code: "keys-unreadable", message: "The folder keys/ cannot be read by this account.")
        }
        var seen: Set<KeyKind> = []
        return try names.filter { $0.hasSuffix(Self.suffix) }.sorted(by: >).map { name in
            let key = try read(name)
            return Entry(file: name, key: key, isCurrent: seen.insert(key.kind).inserted)
        }
    }

    /// All private keys, the current ones first.
    public func privateKeys() throws -> [PrivateKey] {
        let entries = try entries()
        return entries.filter(\.isCurrent).map(\.key) + entries.filter { !$0.isCurrent }.map(\.key)
    }

    /// The keys that new messages are sealed to: P-256 first, for it opens faster, then RSA for C3-PRO.
    public func currentPublicKeys() throws -> [PublicKey] {
        let current = try entries().filter(\.isCurrent).map(\.key.publicKey)
        return current.filter { $0.kind == .p256 } + current.filter { $0.kind == .rsa }
    }

    /// Makes an RSA-2048 and a P-256 key, which become the current ones, and publishes their public halves.
    public func generate(now: Date) throws -> [PrivateKey] {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let keys = [try PrivateKey.generateRSA(), try PrivateKey.generateP256()]
        for key in keys {
            let name = "\(Self.stamp(now))-\(key.kind.rawValue)-\(key.keyID.prefix(12))\(Self.suffix)"
            try PrivateFile.write(Data(key.pem.utf8), to: url.appendingPathComponent(name), permissions: 0o600)
        }
        try publish()
        return keys
    }

    /// Writes the public halves of the current keys where the receiver finds them.
    public func publish() throws {
        try PrivateFile.write(PublicKey.jwks(try currentPublicKeys()), to: publicSetURL, permissions: 0o644)
    }

    /// The text of a private key's file; nil where it cannot be read.
    ///
    /// - Throws: ``ConsumerError`` `key-file-open` where others than its owner may read it.
    func privateText(_ name: String) throws -> String? {
        let path = url.appendingPathComponent(name).path
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        if let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 != 0 {
            throw ConsumerError(
                code: "key-file-open", message: "The key file \(name) can be read by others; make it 0600 (chmod 600).")
        }
        return FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func read(_ name: String) throws -> PrivateKey {
        guard let text = try privateText(name), let key = try? PrivateKey(pem: text) else {
            throw ConsumerError(
                code: "key-file-unreadable", message: "The key file \(name) holds no RSA or P-256 private key in PEM.")
        }
        return key
    }

    private static let suffix = ".private.pem"

    private static func stamp(_ date: Date) -> String {
        // Milliseconds keep two rotations within one second in order.
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMdd'T'HHmmssSSS'Z'"
        return formatter.string(from: date)
    }
}
