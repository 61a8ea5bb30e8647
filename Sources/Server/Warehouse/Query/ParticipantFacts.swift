import Foundation
import Storage

/// One fact of a participant for export.
package struct ParticipantFact: Sendable, Hashable {
    /// The columns of ``values``.
    package static let columns = [
        "encounter_num", "concept_cd", "name_char", "modifier_cd", "instance_num", "start_date", "end_date",
        "valtype_cd", "tval_char", "nval_num", "units_cd", "observation_blob",
    ]

    /// Whether it is a modifier of another fact (i2b2's `modifier_cd` other than `@`).
    package let isModifier: Bool
    /// The values of the columns; nil for null.
    package let values: [String?]
    /// The position of the fact among those of its participant.
    let cursor: [SQLValue]

    /// The key of a fact after its patient's number, which an index covers.
    static let key = ["concept_cd", "modifier_cd", "start_date", "encounter_num", "instance_num", "provider_id"]

    init(_ row: SQLRow) {
        cursor = Self.key.map { row[$0] }
        isModifier = row["modifier_cd"] != .text("@")
        values = Self.columns.map { name in
            switch row[name] {
            case .null, .blob: nil
            case .integer(let value): String(value)
            case .real(let value): value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
            case .text(let value): value
            }
        }
    }
}

extension WarehouseQuery {
    /// Returns the number of a participant's facts, and of the modifiers, which are rows of the same table that
    /// qualify a fact.
    package func factCounts(
        of participant: String, in transaction: any SQLTransaction
    ) throws -> (facts: Int, modifiers: Int) {
        guard let patient = try WarehouseLoader.number(of: participant, in: transaction) else { return (0, 0) }
        let row = try transaction.first(
            """
            SELECT count(*) AS total, count(CASE WHEN modifier_cd = '@' THEN 1 END) AS facts FROM observation_fact
            WHERE patient_num = ? AND sourcesystem_cd = ?
            """, [SQLValue(patient), SQLValue(WarehouseLoader.source)])
        let facts = Int(row?.integerIfPresent("facts") ?? 0)
        return (facts, Int(row?.integerIfPresent("total") ?? 0) - facts)
    }

    /// Returns a page of a participant's facts, in the order of their concepts and times.
    ///
    /// - Parameters:
    ///   - last: the last fact of the previous page; nil for the first page.
    ///   - limit: maximum number of facts.
    package func facts(
        of participant: String, after last: ParticipantFact?, limit: Int, in transaction: any SQLTransaction
    ) throws -> [ParticipantFact] {
        guard let patient = try WarehouseLoader.number(of: participant, in: transaction) else { return [] }
        let key = ParticipantFact.key.map { "f." + $0 }.joined(separator: ", ")
        let condition = last == nil ? "" : "AND (\(key)) > (?, ?, ?, ?, ?, ?)"
        return try transaction.query(
            """
            SELECT f.*, (SELECT min(c.name_char) FROM warehouse_concept c
                WHERE c.concept_cd = f.concept_cd \(transaction.dialect.bytewise)) AS name_char FROM observation_fact f
            WHERE f.patient_num = ? AND f.sourcesystem_cd = ? \(condition) ORDER BY \(key) LIMIT ?
            """, [SQLValue(patient), SQLValue(WarehouseLoader.source)] + (last?.cursor ?? []) + [SQLValue(limit)]
        ).map(ParticipantFact.init)
    }
}
