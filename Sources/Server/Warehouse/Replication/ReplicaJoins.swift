import Foundation
import Storage

/// The joins of participants with patients of the site in an i2b2 of another database than the records.
///
/// The tables among the records' own keep the participants' own numbers: only the copies get the numbers of the site's
/// patients. As in ``PatientJoin``, a row of `patient_mapping` with the source ``PatientJoin/ownSource`` marks a joined
/// participant.
package struct ReplicaJoins {
    private let source: any SQLTransaction
    private let target: any SQLTransaction

    /// - Parameters:
    ///   - source: a transaction of the records.
    ///   - target: a transaction of the other database.
    package init(from source: any SQLTransaction, to target: any SQLTransaction) {
        (self.source, self.target) = (source, target)
    }

    /// Prevents others from creating numbers until the transaction ends: i2b2's own loader, and the copying process.
    package func lock() throws { try target.execute("LOCK TABLE patient_mapping IN EXCLUSIVE MODE") }

    /// Joins a participant with a record of the site.
    ///
    /// - Returns: `notLoaded` if the participant's rows are not copied.
    /// - Throws: ``WarehouseError`` of ``PatientJoin``.
    package func join(
        _ participant: String, with record: PatientJoin.SiteRecord, at date: Date
    ) throws -> PatientJoin.Outcome {
        guard let present = try present(participant) else { return .notLoaded }
        return try JoinedRows.ofReplica.join(
            present.name, number: present.number, with: record, at: date, in: target)
    }

    /// Gives the participants who are joined with records of a system their own numbers back, and copies their rows
    /// again.
    ///
    /// - Returns: the joined participants in their order; `unchanged` for those of other systems.
    package func end(
        ofSystem system: String, at date: Date
    ) throws -> [(participant: String, outcome: PatientJoin.Outcome)] {
        var outcomes: [(participant: String, outcome: PatientJoin.Outcome)] = []
        var changes: Set<ReplicaLog.Change> = []
        for participant in try participants() {
            guard let present = try present(participant) else { continue }
            let outcome = try JoinedRows.ofReplica.end(
                present.name, number: present.number, source: system, at: date, in: target)
            outcomes.append((participant, outcome))
            if outcome == .changed { changes.insert(ReplicaLog.Change(kind: .patient, number: present.given)) }
        }
        if !changes.isEmpty { try ReplicaBatch(changes, from: source, to: target).carry() }
        return outcomes
    }

    /// Returns the ids of all joined participants, in their order.
    private func participants() throws -> [String] {
        let names = try target.query(
            "SELECT patient_ide FROM patient_mapping WHERE patient_ide_source = ?",
            [SQLValue(PatientJoin.ownSource)])
        return try names.compactMap { row in
            try source.first(
                "SELECT participant FROM warehouse_patient WHERE patient_ide = ?", [SQLValue(row.text("patient_ide"))]
            )?.text("participant")
        }.sorted()
    }

    /// Returns the participant's name, the number among the records and the present number in the copy.
    private func present(_ participant: String) throws -> (name: String, given: Int64, number: Int64)? {
        guard let (name, given) = try PatientJoin.present(participant, in: source) else { return nil }
        let copied = try target.first(
            "SELECT patient_num FROM patient_mapping WHERE patient_ide = ? AND patient_ide_source = ?",
            [SQLValue(name), SQLValue(WarehouseLoader.source)])
        return try copied.map { (name, given, try $0.integer("patient_num")) }
    }
}

/// The joins while a batch of changes is copied.
struct JoinsOfBatch {
    let target: any SQLTransaction

    /// The date of a patient's row without data.
    private static let never = Date(timeIntervalSince1970: 0)
    private static let source = "'\(WarehouseLoader.source)'"
    private static let own = "'\(PatientJoin.ownSource)'"

    /// The numbers of the site's patients with whom participants are joined.
    static let numbers = """
        SELECT j.patient_num FROM patient_mapping j
        JOIN patient_mapping o ON o.patient_ide = j.patient_ide AND o.patient_ide_source = \(own)
        WHERE j.patient_ide_source = \(source)
        """

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
        let rows = try target.query(
            """
            SELECT j.patient_ide, j.patient_num FROM patient_mapping j
            JOIN patient_mapping o ON o.patient_ide = j.patient_ide AND o.patient_ide_source = \(Self.own)
            WHERE j.patient_ide_source = \(Self.source)
            """)
        for row in rows { try end(row.text("patient_ide"), number: row.integer("patient_num")) }
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
