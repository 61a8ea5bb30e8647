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
