import Foundation
import Storage

/// The joins while a batch of changes is copied.
struct JoinsOfBatch {
    let target: any SQLTransaction

    /// The date of a patient's row without data.
    private static let never = Date(timeIntervalSince1970: 0)
    private static let source = "'\(WarehouseLoader.source)'"
    private static let own = "'\(PatientJoin.ownSource)'"

    /// The mappings of joined participants to the site's patients.
    private static let joined = """
        FROM patient_mapping j
        JOIN patient_mapping o ON o.patient_ide = j.patient_ide AND o.patient_ide_source = \(own)
        WHERE j.patient_ide_source = \(source)
        """
    /// The numbers of the site's patients with whom participants are joined.
    static let numbers = "SELECT j.patient_num \(joined)"

    /// Ends the joins of participants who were deleted among the records, and changes the names of renamed ones. The
    /// batch is staged, and its numbers are not assigned yet.
    ///
    /// - Parameter patients: the patients of the batch, by their numbers among the records.
    func follow(_ patients: [Int64]) throws {
        for part in InNumbers.parts(of: patients) {
            let rows = try target.query(
                """
                SELECT m.patient_ide AS former, n.number, s.patient_ide AS name FROM replica_number n
                JOIN patient_mapping m ON m.patient_num = n.number AND m.patient_ide_source = \(Self.source)
                JOIN patient_mapping o ON o.patient_ide = m.patient_ide AND o.patient_ide_source = \(Self.own)
                LEFT JOIN tributary_patient_mapping s
                    ON s.patient_num = n.given AND s.patient_ide_source = \(Self.source)
                WHERE n.kind = \(ReplicaLog.Kind.patient.rawValue) AND n.given IN \(part.placeholders)
                """, part.parameters)
            for row in rows {
                let former = try row.text("former")
                if let name = row.textIfPresent("name") {
                    guard name != former else { continue }
                    try target.execute(
                        """
                        UPDATE patient_mapping SET patient_ide = ?
                        WHERE patient_ide = ? AND patient_ide_source IN (\(Self.source), \(Self.own))
                        """, [SQLValue(name), SQLValue(former)])
                } else {
                    try end(former, number: row.integer("number"))
                }
            }
        }
    }

    /// Ends all joins.
    func endAll() throws {
        for row in try target.query("SELECT j.patient_ide, j.patient_num \(Self.joined)") {
            try end(row.text("patient_ide"), number: row.integer("patient_num"))
        }
    }

    private func end(_ name: String, number: Int64) throws {
        _ = try JoinedRows.ofReplica.end(name, number: number, source: nil, at: Self.never, in: target)
    }

    /// Removes the staged rows that map a joined participant's number to itself: the site has its own row.
    func omitStaged() throws {
        try target.execute(
            """
            DELETE FROM tributary_patient_mapping s USING \(StagedNumbers.patients.table) p
            WHERE p.given = s.patient_num AND s.patient_ide_source = '\(Numbering.hive)' AND p.number IN (\(Self.numbers))
            """)
    }
}
