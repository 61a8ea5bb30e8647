import AccessPolicy
import Foundation
import Storage

extension AuditReader {
    /// Maximum number of rows that ``lastUses(of:in:)`` looks at, for each of the two kinds of rows.
    static let rowsOfLastUses = 10_000

    /// Returns the last time at which each client used records of a participant, by the id of the client. It considers
    /// the newest 10,000 rows about the participant.
    package func lastUses(of participant: String, in transaction: any SQLTransaction) throws -> [String: Date] {
        guard let pseudonym = try pseudonym(of: participant, in: transaction) else { return [:] }
        var uses: [String: Date] = [:]
        for sql in [Self.ownUsesSQL, Self.shownUsesSQL] {
            let parameters = [SQLValue(pseudonym), SQLValue(Self.rowsOfLastUses)]
            for row in try transaction.query(sql, parameters + Self.uses.map { SQLValue($0.rawValue) }) {
                let (client, at) = (try row.text("client"), try row.date("at"))
                uses[client] = max(uses[client] ?? at, at)
            }
        }
        return uses
    }

    /// The actions that use records.
    private static let uses: [Action] = [.readRecord, .searchRecords, .writeRecord, .exportRecords]
    private static let isUse =
        "a.client IS NOT NULL AND a.allowed = 1 AND a.action IN (\(uses.map { _ in "?" }.joined(separator: ", ")))"

    /// Parameters: pseudonym, number of rows, actions.
    static let ownUsesSQL = """
        SELECT a.client AS client, max(a.at) AS at
        FROM (SELECT client, at, action, allowed FROM audit WHERE subject = ? ORDER BY number DESC LIMIT ?) a
        WHERE \(isUse) GROUP BY a.client
        """
    /// Parameters: pseudonym, number of rows, actions.
    static let shownUsesSQL = """
        SELECT a.client AS client, max(a.at) AS at
        FROM (SELECT number FROM audit_participant WHERE pseudonym = ? ORDER BY number DESC LIMIT ?) s
        JOIN audit a ON a.number = s.number WHERE \(isUse) GROUP BY a.client
        """
}
