import Core
import Foundation
import Storage
import Wire

// Additional recipients that can open each submission by themselves, such as a coordinating centre. Their public keys
// are next to the study's own.
extension KeyFolder {
    /// JWK set of the recipients' public keys.
    var recipientsURL: URL { url.appendingPathComponent("recipients.jwks") }

    /// Returns the recipients' public keys, to which devices seal as well; empty if there are none.
    ///
    /// - Throws: ``StudyKeyError`` `recipients-unreadable`, so that a study does not silently lose its recipients.
    package func recipients() throws -> [PublicKey] {
        let data: Data
        do throws(FileAccessError) {
            guard let found = try FileAccess.contents(of: recipientsURL) else { return [] }
            data = found
        } catch {
            throw StudyKeyError(code: Self.recipientsUnreadable.code, message: error.message)
        }
        if JSON(reading: data)?["keys"]?.array?.isEmpty == true { return [] }
        guard let keys = try? PublicKey.read(from: data) else { throw Self.recipientsUnreadable }
        return keys
    }

    private static let recipientsUnreadable = StudyKeyError(
        code: "recipients-unreadable", message: "keys/recipients.jwks is not a JWK set; restore it, or remove it.")

    /// Adds public keys of recipients; existing ones are kept.
    ///
    /// - Throws: ``StudyKeyError`` `recipient-own` for a key of the study's own; ``Wire/WireError``
    ///   `recipients-invalid` if there would be too many.
    package func addRecipients(_ keys: [PublicKey]) throws {
        let own = Set(try entries().map(\.key.keyID))
        guard own.isDisjoint(with: keys.map(\.keyID)) else {
            throw StudyKeyError(code: "recipient-own", message: "This is the study's own key; it is published already.")
        }
        var known = try recipients()
        for key in keys where !known.contains(where: { $0.keyID == key.keyID }) { known.append(key) }
        _ = try PublishedKeys(own: currentPublicKeys(), others: known)
        try write(known)
    }

    /// Removes a recipient's key. Devices stop sealing to it when they receive the next set.
    ///
    /// - Throws: ``StudyKeyError`` `recipient-unknown`.
    package func removeRecipient(_ keyID: String) throws {
        let known = try recipients()
        let left = known.filter { $0.keyID != keyID }
        guard left.count < known.count else {
            throw StudyKeyError(
                code: "recipient-unknown", message: "No recipient has this key; see `tributary keys recipients`.")
        }
        try write(left)
    }

    private func write(_ recipients: [PublicKey]) throws {
        try PrivateFile.write(PublicKey.jwks(recipients), to: recipientsURL, permissions: 0o600)
    }
}
