import AccessPolicy
import Storage

/// The rows of `record_protection`. Together with the record's subject they decide who sees a record.
///
/// A record with a subject and without rows belongs to that one patient. One without a subject and without rows belongs
/// to no one. Without rows a record has no labels.
package enum RecordProtection {
    /// The kind of a row.
    package enum Kind: String, Sendable {
        /// A patient's id. A record with such rows has no subject, and the rows name all of its owners.
        case owner
        /// The rank of the confidentiality, where it is not the assumed one.
        case confidentiality
        /// A sensitivity.
        case sensitivity
    }

    /// A row, without the number of its record.
    package struct Row: Sendable, Hashable {
        package let kind: Kind
        package let value: String
    }

    /// Returns the rows that the record's subject does not imply; nearly all records have none.
    package static func rows(of facts: RecordFacts, subject: String?) -> [Row] {
        var rows = subject == nil ? facts.owners.sorted().map { Row(kind: .owner, value: $0) } : []
        if facts.labels.confidentiality != .assumed {
            rows.append(Row(kind: .confidentiality, value: String(facts.labels.confidentiality.rawValue)))
        }
        return rows + facts.labels.sensitivities.sorted().map { Row(kind: .sensitivity, value: $0) }
    }

    /// Inserts the rows of a record that has none.
    package static func write(_ rows: [Row], number: Int64, in transaction: any SQLTransaction) throws {
        for row in rows {
            try transaction.execute(
                "INSERT INTO record_protection (number, kind, value) VALUES (?, ?, ?)",
                [SQLValue(number), SQLValue(row.kind.rawValue), SQLValue(row.value)])
        }
    }

    /// Replaces the rows of a record by those of its new version.
    package static func replace(_ rows: [Row], number: Int64, in transaction: any SQLTransaction) throws {
        try transaction.execute("DELETE FROM record_protection WHERE number = ?", [SQLValue(number)])
        try write(rows, number: number, in: transaction)
    }

    /// Reads the facts of a stored record.
    ///
    /// - Parameter matched: the grant's queries that the record meets.
    package static func facts(
        number: Int64, type: String, subject: String?, matching matched: Set<ScopeQuery> = [],
        in transaction: any SQLTransaction
    ) throws -> RecordFacts {
        var owners = Set(subject.map { [$0] } ?? [])
        var confidentiality = Confidentiality.assumed
        var sensitivities: Set<String> = []
        for row in try transaction.query(rowsSQL, [SQLValue(number)]) {
            let value = try row.text("value")
            switch Kind(rawValue: try row.text("kind")) {
            case .owner: owners.insert(value)
            case .confidentiality:
                // An unknown rank may mean anything, so only a caller that sees everything sees the record.
                confidentiality = Int(value).flatMap(Confidentiality.init(rawValue:)) ?? .veryRestricted
            case .sensitivity, nil: sensitivities.insert(value)
            }
        }
        return RecordFacts(
            type: type, patients: owners,
            labels: SecurityLabels(confidentiality: confidentiality, sensitivities: sensitivities),
            matchedQueries: matched)
    }

    /// Parameter: the number of the record.
    static let rowsSQL = "SELECT kind, value FROM record_protection WHERE number = ?"
}
