import FHIR
import Foundation
import Storage

/// Counts over the records, for the study team.
package struct RecordStatistics: Sendable {
    package init() {}

    /// Returns the number of resources of each type, ordered by type, without those that the study itself publishes.
    package func counts(in transaction: any SQLTransaction) throws -> [(type: String, count: Int)] {
        let published = try transaction.query(
            """
            SELECT r.type, count(DISTINCT r.number) AS number FROM record_source s
            JOIN record_version v ON v.source = s.number
            JOIN record r ON r.number = v.number AND r.version = v.version
            WHERE s.submission_id = ? AND r.deleted = 0 GROUP BY r.type
            """, [SQLValue(RecordPublishing.submissionID)])
        let own = Dictionary(
            try published.map { (try $0.text("type"), Int(try $0.integer("number"))) }, uniquingKeysWith: +)
        return try transaction.query(
            "SELECT type, count(*) AS number FROM record WHERE deleted = 0 GROUP BY type ORDER BY type", []
        ).compactMap { row in
            let type = try row.text("type")
            let count = Int(try row.integer("number")) - (own[type] ?? 0)
            return count > 0 ? (type, count) : nil
        }
    }

    /// Returns the time of receipt of the latest recorded submission about a participant.
    package func lastSeen(_ subject: String, in transaction: any SQLTransaction) throws -> Date? {
        let row = try transaction.first(
            """
            SELECT max(r.received_ms) AS last_seen FROM record r
            WHERE r.type IN ('Consent', 'Contract', 'Device', 'Encounter', 'Observation', 'Patient',
                'QuestionnaireResponse') AND r.subject = ?
            """, [SQLValue(subject)])
        return row?.integerIfPresent("last_seen").map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// Counts a participant's resources of a type by name: for responses the canonical URL of the form (without its
    /// version), for Observations the first code, in lower case where its code system is not case-sensitive
    /// (``TokenCase``).
    package func counts(
        of subject: String, type: String, in transaction: any SQLTransaction
    ) throws -> [String: Int] {
        let parameters =
            type == QuestionnaireResponse.resourceType
            ? ["questionnaire", "questionnaire" + SearchTerm.Aspect.url.rawValue]
            : ["code", "code" + SearchTerm.Aspect.lowercase.rawValue]
        let rows = try transaction.query(
            """
            SELECT name, count(*) AS number FROM (
                SELECT r.number, min(c.code) AS name FROM record r
                LEFT JOIN record_term t ON t.number = r.number
                LEFT JOIN search_term c ON c.number = t.term AND c.parameter IN (?, ?) AND c.code <> ''
                WHERE r.type = ? AND r.subject = ? AND r.deleted = 0 GROUP BY r.number
            ) AS named GROUP BY name
            """, parameters.map { SQLValue($0) } + [SQLValue(type), SQLValue(subject)])
        var counts: [String: Int] = [:]
        for row in rows {
            counts[row.textIfPresent("name") ?? "unnamed", default: 0] += Int(try row.integer("number"))
        }
        return counts
    }
}
