import Core
import Foundation
import Storage
import Wire

// Others who open each submission alone, such as a coordinating centre: their public keys stand beside the study's own.
extension KeyFolder {
    /// The public keys of others, a JWK set.
    var recipientsURL: URL { url.appendingPathComponent("recipients.jwks") }

    /// The public keys of others that devices seal to as well; none where nobody was added.
    ///
    /// - Throws: ``ConsumerError`` `recipients-unreadable`: a study that has others must not go on without them unseen.
    public func recipients() throws -> [PublicKey] {
        let data: Data
        do throws(FileAccessError) {
            guard let found = try FileAccess.contents(of: recipientsURL) else { return [] }
            data = found
        } catch {
            throw ConsumerError(code: Self.recipientsUnreadable.code, message: error.message)
        }
        if JSON(reading: data)?["keys"]?.array?.isEmpty == true { return [] }
        guard let keys = try? PublicKey.read(from: data) else { throw Self.recipientsUnreadable }
        return keys
    }

    private static let recipientsUnreadable = ConsumerError(
        code: "recipients-unreadable", message: "keys/recipients.jwks is no JWK set; bring it back, or remove it.")

    /// Adds others' public keys; one that is there stays.
    ///
    /// - Throws: ``ConsumerError`` `recipient-own` for a key of the study's own; ``Wire/WireError`` `recipients-invalid` where
    ///   they would be too many.
    public func addRecipients(_ keys: [PublicKey]) throws {
        let own = Set(try entries().map(\.key.keyID))
        guard own.isDisjoint(with: keys.map(\.keyID)) else {
            throw ConsumerError(code: "recipient-own", message: "This is the study's own key; it is published already.")
        }
        var known = try recipients()
        for key in keys where !known.contains(where: { $0.keyID == key.keyID }) { known.append(key) }
        _ = try PublishedKeys(own: currentPublicKeys(), others: known)
        try write(known)
    }

    /// Removes another's key: what devices seal from the next set on is not for it.
    ///
    /// - Throws: ``ConsumerError`` `recipient-unknown`.
    public func removeRecipient(_ keyID: String) throws {
        let known = try recipients()
        let left = known.filter { $0.keyID != keyID }
        guard left.count < known.count else {
            throw ConsumerError(
                code: "recipient-unknown", message: "There is no such key of others; see `tributary keys recipients`.")
        }
        try write(left)
    }

    private func write(_ recipients: [PublicKey]) throws {
        try PrivateFile.write(PublicKey.jwks(recipients), to: recipientsURL, permissions: 0o600)
    }
}
