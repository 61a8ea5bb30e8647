import Foundation
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension KeyFolder {
    /// Revokes a key for good, for example if others may have seen it: it is no longer published, and devices seal to
    /// another one as soon as they receive the new set. The key stays in the folder and opens messages that were sealed
    /// to it until then, so that no participant's data is lost.
    ///
    /// If it was the current key of its kind, a new one is made first.
    ///
    /// - Parameter keyID: id of the key, or at least its first 8 characters.
    /// - Returns: the id of the key.
    /// - Throws: ``StudyKeyError`` `key-not-found` or `key-ambiguous`.
    @discardableResult
    package func revoke(_ keyID: String, now: Date) throws -> String {
        let found = try entries().filter {
            $0.key.keyID == keyID || (keyID.utf8.count >= 8 && $0.key.keyID.hasPrefix(keyID))
        }
        guard let entry = found.first else {
            throw StudyKeyError(
                code: "key-not-found", message: "The study has no such key; see `tributary keys list`.")
        }
        guard found.count == 1 else {
            throw StudyKeyError(code: "key-ambiguous", message: "Several keys begin with this; give more of the name.")
        }
        guard entry.state != .revoked else { return entry.key.keyID }
        // 1. Make a new key, so that an older one of the kind does not become current again.
        if entry.state == .current { try make([entry.key.kind], now: now) }
        // 2. Rename atomically: a consumer that is reading finds the key under one of the two names.
        let name = String(entry.file.dropLast(Self.suffix.count)) + Self.revokedSuffix
        let (old, new) = (url.appendingPathComponent(entry.file).path, url.appendingPathComponent(name).path)
        guard rename(old, new) == 0 else {
            throw StudyKeyError(
                code: "file-unwritable", message: "The file \(entry.file) cannot be renamed; see its folder.")
        }
        try publish()
        return entry.key.keyID
    }
}
