import FHIR
import Foundation
import Storage

/// Counts over the records, for the study team.
public struct RecordStatistics: Sendable {
    public init() {}

    /// When the newest recorded submission about a participant came.
    public func lastSeen(_ subject: String, in transaction: any SQLTransaction) throws -> Date? {
        let row = try transaction.first(
            """
            SELECT max(r.received_ms) AS last_seen FROM record r
            WHERE r.type IN ('Consent', 'Contract', 'Device', 'Encounter', 'Observation', 'Patient',
                'QuestionnaireResponse') AND r.subject = ?
            """, [SQLValue(subject)])
        return row?.integerIfPresent("last_seen").map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    /// A participant's resources of a type, by what they are of: the form of a response (without its version), the first
    /// code of an observation.
    public func counts(
        of subject: String, type: String, in transaction: any SQLTransaction
    ) throws -> [String: Int] {
        let parameters =
            type == QuestionnaireResponse.resourceType
            ? ["questionnaire", "questionnaire" + SearchTerm.Aspect.url.rawValue] : ["code", "code"]
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
