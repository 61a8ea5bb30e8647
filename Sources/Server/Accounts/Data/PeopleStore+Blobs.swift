import AccessPolicy
import Core
import Foundation
import Identity
import Storage

/// The reason why data of an account is not stored.
struct AccountDataError: CodedError, Hashable {
    let code: String
    let message: String

    /// The account has as many bytes as it may have.
    static let full = AccountDataError(
        code: "account-full",
        message: "The account has \(PeopleStore.maximumStoredBytes >> 20) MiB of files and results, the maximum.")
    /// The account has as many consents as it may have.
    static let tooManyConsents = AccountDataError(
        code: "consents-too-many",
        message: "The account has \(PeopleStore.maximumConsents) consents, the maximum; ask the study team.")
    /// The file does not have the digest of its path.
    static let digest = AccountDataError(
        code: "blob-digest", message: "The bytes do not have the SHA-256 of the path: send the file again.")
    /// A consent names a file that was not uploaded.
    static let blobMissing = AccountDataError(
        code: "blob-missing", message: "A file of the consent was not uploaded: PUT it to me/blobs first.")
    /// The document is no PDF.
    static let document = AccountDataError(code: "document-invalid", message: "The document of a consent is a PDF.")
    /// There is no current consent.
    static let consentAbsent = AccountDataError(
        code: "consent-absent", message: "There is no consent with this descriptor on file.")
}

extension PeopleStore {
    /// Maximum number of bytes of a file.
    static let maximumBlobBytes = 16 << 20
    /// Maximum number of bytes of files and results of an account.
    static let maximumStoredBytes: Int64 = 512 << 20
    /// Maximum number of files of an account.
    static let maximumBlobs = 10_000

    /// Stores a file of an account under its digest.
    ///
    /// - Returns: false if it was there before.
    /// - Throws: ``AccountDataError`` `blob-digest`, `account-full`.
    func putBlob(_ content: Data, digest: String, of account: String) async throws -> Bool {
        guard SecretDigest.hex(of: content) == digest else { throw AccountDataError.digest }
        return try await database.write { transaction in
            guard let person = try Person.find(account, in: transaction) else { throw AccessError.accountUnknown }
            try record(account, "blob", in: transaction)
            return try Self.insertBlob(content, digest: digest, of: person, at: clock(), in: transaction)
        }
    }

    @discardableResult
    static func insertBlob(
        _ content: Data, digest: String, of person: Person, at now: Date, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard try transaction.first(hasBlobSQL, [SQLValue(person.id), SQLValue(digest)]) == nil else { return false }
        let count = try transaction.first(
            "SELECT count(*) AS n FROM person_blob WHERE account_id = ?", [SQLValue(person.id)])
        guard try count?.integer("n") ?? 0 < maximumBlobs else { throw AccountDataError.full }
        try addBytes(content.count, to: person.id, in: transaction)
        try transaction.execute(
            "INSERT INTO person_blob (account_id, digest, size, content, created_at) VALUES (?, ?, ?, ?, ?)",
            [SQLValue(person.id), SQLValue(digest), SQLValue(content.count), SQLValue(content), SQLValue(now)])
        return true
    }

    /// Adds to the bytes of an account; `count` may be negative.
    static func addBytes(_ count: Int, to account: String, in transaction: any SQLTransaction) throws {
        let changed = try transaction.execute(
            "UPDATE person SET stored_bytes = stored_bytes + ? WHERE account_id = ? AND stored_bytes + ? <= ?",
            [SQLValue(count), SQLValue(account), SQLValue(count), SQLValue(maximumStoredBytes)])
        guard changed == 1 else { throw AccountDataError.full }
    }

    /// Removes a file that neither the profile nor a consent names.
    static func removeBlobIfUnused(_ digest: String, of account: String, in transaction: any SQLTransaction) throws {
        guard try !isOfConsent(digest, of: account, in: transaction),
            let row = try transaction.first(
                "SELECT size FROM person_blob WHERE account_id = ? AND digest = ?",
                [SQLValue(account), SQLValue(digest)])
        else { return }
        try addBytes(-Int(try row.integer("size")), to: account, in: transaction)
        try transaction.execute(
            "DELETE FROM person_blob WHERE account_id = ? AND digest = ?", [SQLValue(account), SQLValue(digest)])
    }

    /// Whether a consent of an account names a file.
    static func isOfConsent(_ digest: String, of account: String, in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first(
            """
            SELECT 1 AS one FROM person_consent WHERE account_id = ? AND (result = ? OR signature = ? OR document = ?)
            """, [SQLValue(account), SQLValue(digest), SQLValue(digest), SQLValue(digest)]) != nil
    }

    /// Returns a file of an account; nil if there is none with the digest.
    static func blob(_ digest: String, of account: String, in transaction: any SQLTransaction) throws -> Data? {
        try transaction.first(
            "SELECT content FROM person_blob WHERE account_id = ? AND digest = ?",
            [SQLValue(account), SQLValue(digest)]
        )?.blob("content")
    }

    /// Parameters: account, digest.
    static let hasBlobSQL = "SELECT 1 AS one FROM person_blob WHERE account_id = ? AND digest = ?"
}
