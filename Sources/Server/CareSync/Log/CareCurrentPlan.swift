import CarePlans
import Core
import Foundation
import Storage

/// Reads the current plan of a patient, in one snapshot of the store.
struct CareCurrentPlan {
    let patient: String
    let transaction: any SQLTransaction

    init(of patient: String, in transaction: any SQLTransaction) {
        self.patient = patient
        self.transaction = transaction
    }

    /// Returns the live tips, by kind and id.
    ///
    /// - Throws: ``CareLogError`` `range-too-large`.
    func liveTips() throws -> [CareEntity] {
        try entities(Self.liveTipsSQL, [SQLValue(patient)])
    }

    /// Returns all versions that are no outcomes, in the order of the log.
    ///
    /// - Throws: ``CareLogError`` `range-too-large`.
    func definitions() throws -> [CareEntity] {
        try CareEntityKind.allCases.filter { $0 != .outcome }.flatMap { kind in
            try entities(Self.versionsOfKindSQL, [SQLValue(patient), SQLValue(kind.rawValue)])
        }
    }

    func entities(_ sql: String, _ parameters: [SQLValue]) throws -> [CareEntity] {
        var (entities, bytes): ([CareEntity], Int) = ([], 0)
        try transaction.each(sql, parameters) { row in
            let content = try row.text("content")
            bytes += content.utf8.count
            guard bytes <= CareLimits.bytesPerAnswer else { throw CareLogError.rangeTooLarge }
            guard let kind = CareEntityKind(rawValue: try row.text("kind")) else {
                throw StorageError(code: "storage-column", message: "A version has an unknown kind.")
            }
            entities.append(try CareStoredVersion.entity(kind, content: content))
        }
        return entities
    }

    /// Parameter: account.
    static let liveTipsSQL = """
        SELECT kind, content FROM care_version WHERE account_id = ? AND followed_by IS NULL AND is_tombstone = 0
        ORDER BY kind, entity_id
        """
    /// Versions of a kind other than outcomes. Parameters: account, kind.
    static let versionsOfKindSQL = """
        SELECT kind, content FROM care_version WHERE account_id = ? AND kind = ? AND task IS NULL ORDER BY number
        """
}
