import AccessPolicy
import Audit
import Core
import Foundation
import ResearchResults
import Storage

/// A consent of the archive.
struct StoredConsent: Sendable, Hashable {
    let number: Int64
    let id: String
    let descriptor: String
    let at: Date
    /// Digests of files.
    let result: String
    let signature: String
    let document: String?
    let withdrawnAt: Date?

    init(_ row: SQLRow) throws {
        number = try row.integer("number")
        id = try row.text("id")
        descriptor = try row.text("descriptor")
        at = try row.date("at")
        result = try row.text("result")
        signature = try row.text("signature")
        document = row.textIfPresent("document")
        withdrawnAt = row.dateIfPresent("withdrawn_at")
    }

    var json: JSON {
        var json: JSON = [
            "id": .string(id), "descriptor": .string(descriptor), "at": .string(DateTime(at).text),
            "result": .string(result), "signature": .string(signature),
        ]
        if let document { json["document"] = .string(document) }
        if let withdrawnAt { json["withdrawn"] = .string(DateTime(withdrawnAt).text) }
        return json
    }
}

/// A page of the archive.
struct ArchivePage: Sendable {
    let consents: [StoredConsent]
    let next: String?

    var json: JSON {
        ["consents": .array(consents.map(\.json)), "next": next.map { .string($0) } ?? .null]
    }
}

extension PeopleStore {
    /// Maximum number of consents of an account.
    static let maximumConsents = 1_000
    /// Maximum number of consents on a page.
    static let consentsPerPage = 100

    /// Files of an upload, by their digests.
    struct ConsentFiles: Sendable {
        let result: BlobDigest?
        let signature: BlobDigest?
        let document: BlobDigest?
    }

    /// Stores a consent. It becomes the current one of its descriptor. A profile without names gets those of the
    /// signature.
    ///
    /// - Throws: ``ResearchResults/CMHealthError`` 700 to 705; ``AccountDataError`` `blob-missing`, `document-invalid`,
    ///   `consents-too-many`;
    ///   ``ResearchResults/ResearchResultError``.
    func addConsent(_ files: ConsentFiles, descriptor: String, of account: String) async throws -> StoredConsent {
        guard let result = files.result else { throw CMHealthError.userMissingConsent }
        let id = RandomID.make(random)
        return try await database.write { transaction in
            guard let person = try Person.find(account, in: transaction) else { throw AccessError.accountUnknown }
            try record(account, "consents", in: transaction)
            guard let content = try Self.blob(result.text, of: account, in: transaction) else {
                throw AccountDataError.blobMissing
            }
            let upload = try Self.upload(content, files)
            guard let image = try Self.blob(upload.signature.text, of: account, in: transaction) else {
                throw AccountDataError.blobMissing
            }
            guard ConsentFile.isSignatureImage(image) else { throw CMHealthError.userDidNotSign }
            if let document = upload.document { try Self.requireDocument(document, of: account, in: transaction) }
            let count = try transaction.first(
                "SELECT count(*) AS n FROM person_consent WHERE account_id = ?", [SQLValue(account)])
            guard try count?.integer("n") ?? 0 < Self.maximumConsents else { throw AccountDataError.tooManyConsents }
            let rows = try transaction.query(
                """
                INSERT INTO person_consent (id, account_id, descriptor, at, result, signature, document)
                VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *
                """,
                [
                    SQLValue(id), SQLValue(account), SQLValue(descriptor), SQLValue(clock()), SQLValue(result.text),
                    SQLValue(upload.signature.text), SQLValue(upload.document?.text),
                ])
            try MembershipStore.record(.consents, of: account, in: transaction)
            if var profile = try? AccountProfile(
                json: JSON(reading: Array(person.profile.utf8)) ?? .object(JSONObject())),
                profile.fill(from: upload.signatureResult)
            {
                try Self.write(profile: profile.json.text(), of: account, in: transaction)
            }
            guard let row = rows.first else {
                throw StorageError(code: "storage-failed", message: "A consent vanished.")
            }
            return try StoredConsent(row)
        }
    }

    private static func upload(_ content: Data, _ files: ConsentFiles) throws -> ConsentUpload {
        guard content.count <= ResearchResult.maximumBytes else { throw ResearchResultError(.tooLarge, at: "$.result") }
        let json: JSON
        do {
            json = try JSON(content)
        } catch {
            throw ResearchResultError(error.reason == .tooDeep ? .tooDeep : .notJSON, at: "$.result")
        }
        var body: JSON = ["result": json]
        if let signature = files.signature { body["signature"] = .string(signature.text) }
        if let document = files.document { body["document"] = .string(document.text) }
        return try ConsentUpload(json: body)
    }

    private static func requireDocument(
        _ digest: BlobDigest, of account: String, in transaction: any SQLTransaction
    ) throws {
        guard let content = try blob(digest.text, of: account, in: transaction) else {
            throw AccountDataError.blobMissing
        }
        guard ConsentFile.isDocument(content) else { throw AccountDataError.document }
    }

    /// Returns the current consent of a descriptor; nil if there is none, or it was withdrawn.
    static func currentConsent(
        _ descriptor: String, of account: String, in transaction: any SQLTransaction
    ) throws -> StoredConsent? {
        let consent = try transaction.first(currentConsentSQL, [SQLValue(account), SQLValue(descriptor)])
            .map { try StoredConsent($0) }
        return consent?.withdrawnAt == nil ? consent : nil
    }

    /// Adds the document to the current consent of a descriptor.
    ///
    /// - Throws: ``AccountDataError`` `consent-absent`, `blob-missing`, `document-invalid`.
    func addDocument(_ document: BlobDigest, descriptor: String, of account: String) async throws {
        try await database.write { transaction in
            try record(account, "consents", in: transaction)
            guard let consent = try Self.currentConsent(descriptor, of: account, in: transaction) else {
                throw AccountDataError.consentAbsent
            }
            try Self.requireDocument(document, of: account, in: transaction)
            try transaction.execute(
                "UPDATE person_consent SET document = ? WHERE id = ?", [SQLValue(document.text), SQLValue(consent.id)])
            try MembershipStore.record(.consents, of: account, in: transaction)
        }
    }

    /// Withdraws the current consent of a descriptor. It stays in the archive with the date.
    ///
    /// - Throws: ``AccountDataError`` `consent-absent`.
    func withdrawConsent(_ descriptor: String, of account: String) async throws {
        try await database.write { transaction in
            try record(account, "consents", in: transaction)
            guard let consent = try Self.currentConsent(descriptor, of: account, in: transaction) else {
                throw AccountDataError.consentAbsent
            }
            try transaction.execute(
                "UPDATE person_consent SET withdrawn_at = ? WHERE id = ?", [SQLValue(clock()), SQLValue(consent.id)])
            try MembershipStore.record(.consents, of: account, in: transaction)
        }
    }

    /// Returns the consents of an account, including earlier and withdrawn ones, in the order of their upload.
    static func consents(
        of account: String, after number: Int64, in transaction: any SQLTransaction
    ) throws -> ArchivePage {
        let rows = try transaction.query(
            consentsSQL, [SQLValue(account), SQLValue(number), SQLValue(consentsPerPage + 1)])
        let consents = try rows.prefix(consentsPerPage).map { try StoredConsent($0) }
        return ArchivePage(
            consents: consents, next: rows.count > consentsPerPage ? consents.last.map { String($0.number) } : nil)
    }

    /// Parameters: account, descriptor.
    static let currentConsentSQL = """
        SELECT * FROM person_consent WHERE account_id = ? AND descriptor = ? ORDER BY number DESC LIMIT 1
        """
    /// Parameters: account, number, limit.
    static let consentsSQL = """
        SELECT * FROM person_consent WHERE account_id = ? AND number > ? ORDER BY number LIMIT ?
        """
}
