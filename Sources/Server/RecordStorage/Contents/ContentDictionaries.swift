import Foundation
import Storage

/// The dictionaries that are part of the program.
package enum ContentDictionaries {
    /// Each is checked at its first use. A new dictionary is appended, with the next number and a migration of
    /// ``RecordsSchema`` that stores it. The existing ones are never changed and never removed.
    private static let shipped: [Result<ContentDictionary, StorageError>] = [
        made(1, type: "Observation", sha256: observationSHA256, base64: observationBase64),
        made(
            2, type: "QuestionnaireResponse", sha256: questionnaireResponseSHA256, base64: questionnaireResponseBase64),
        made(3, type: "Contract", sha256: contractSHA256, base64: contractBase64),
        made(4, type: "Consent", sha256: consentSHA256, base64: consentBase64),
        made(5, type: "Device", sha256: deviceSHA256, base64: deviceBase64),
        made(6, type: "Patient", sha256: patientSHA256, base64: patientBase64),
    ]

    /// Returns all dictionaries, by number.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt` where the program itself is damaged.
    package static func all() throws -> [ContentDictionary] { try shipped.map { try $0.get() } }

    /// Returns the dictionary that compresses resources of a type; nil where there is none.
    static func newest(for type: String) -> ContentDictionary? { byType[type] }

    /// Returns the dictionary with a number; nil where this program has none.
    static func numbered(_ number: Int) throws -> ContentDictionary? {
        guard shipped.indices.contains(number - 1) else { return nil }
        return try shipped[number - 1].get()
    }

    private static let byType: [String: ContentDictionary] = Dictionary(
        shipped.compactMap { try? $0.get() }.map { ($0.type, $0) }, uniquingKeysWith: { $1 })

    private static func made(
        _ number: Int, type: String, sha256: String, base64: String
    ) -> Result<ContentDictionary, StorageError> {
        do throws(StorageError) {
            let bytes = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data()
            return .success(try ContentDictionary(number: number, type: type, sha256: sha256, bytes: bytes))
        } catch {
            return .failure(error)
        }
    }
}

extension ContentDictionaries {
    /// Stores the program's dictionaries with their bytes in the store. A later program then reads the contents even if
    /// it no longer contains a dictionary.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt` where the store has another dictionary with one of the numbers.
    static func insert(in transaction: any SQLTransaction) throws {
        for dictionary in try all() {
            try transaction.execute(
                """
                INSERT INTO content_dictionary (number, type, sha256, content) VALUES (?, ?, ?, ?)
                ON CONFLICT (number) DO NOTHING
                """,
                [
                    SQLValue(dictionary.number), SQLValue(dictionary.type), SQLValue(dictionary.sha256),
                    SQLValue(dictionary.bytes),
                ])
            guard try stored(dictionary.number, in: transaction)?.sha256 == dictionary.sha256 else {
                throw StorageError(
                    code: "storage-corrupt",
                    message: "The store has another dictionary \(dictionary.number) than this program; use its own.")
            }
        }
    }

    /// Returns the dictionary with a number in a store; nil where it has none.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt`.
    static func stored(_ number: Int, in transaction: any SQLTransaction) throws -> ContentDictionary? {
        try transaction.first(
            "SELECT type, sha256, content FROM content_dictionary WHERE number = ?", [SQLValue(number)]
        ).map { row in
            try ContentDictionary(
                number: number, type: try row.text("type"), sha256: try row.text("sha256"),
                bytes: try row.blob("content"))
        }
    }
}
