import Foundation
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension KeyFolder {
    /// Takes a key out of use for good, such as one that somebody else may have seen: it is published no more, and devices seal
    /// to another as soon as they hear of it. It stays here and opens what is sealed to it until then: nothing that a
    /// participant sent is lost.
    ///
    /// Where it was the current one of its kind, a new one is made first.
    ///
    /// - Parameter keyID: the key's name, or its beginning, at least 8 characters.
    /// - Returns: the key's name.
    /// - Throws: ``ConsumerError`` `key-not-found` or `key-ambiguous`.
    @discardableResult
    public func revoke(_ keyID: String, now: Date) throws -> String {
        let found = try entries().filter {
            $0.key.keyID == keyID || (keyID.utf8.count >= 8 && $0.key.keyID.hasPrefix(keyID))
        }
        guard let entry = found.first else {
            throw ConsumerError(
                code: "key-not-found", message: "The study has no such key; see `tributary keys list`.")
        }
        guard found.count == 1 else {
            throw ConsumerError(code: "key-ambiguous", message: "Several keys begin so; give more of the name.")
        }
        guard entry.state != .revoked else { return entry.key.keyID }
        // 1. An older key of the kind must not become the current one again.
        if entry.state == .current { try make([entry.key.kind], now: now) }
        // 2. The name says it, in one step: the consumer, which may be reading, finds the key under one of the two.
        let name = String(entry.file.dropLast(Self.suffix.count)) + Self.revokedSuffix
        let (old, new) = (url.appendingPathComponent(entry.file).path, url.appendingPathComponent(name).path)
        guard rename(old, new) == 0 else {
            throw ConsumerError(
                code: "file-unwritable", message: "The file \(entry.file) cannot be renamed; see its folder.")
        }
        try publish()
        return entry.key.keyID
    }
}
