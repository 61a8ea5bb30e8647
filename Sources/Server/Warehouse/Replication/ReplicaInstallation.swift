import Foundation
import Storage

/// Makes an i2b2 in another database the replica of the records' tables, and ends that.
package struct ReplicaInstallation: Sendable {
    private let replica: WarehouseReplica
    private let adopts: Bool

    /// - Parameter adopts: whether rows of an earlier load or import of this study are replaced.
    package init(_ replica: WarehouseReplica, adopts: Bool = false) {
        (self.replica, self.adopts) = (replica, adopts)
    }

    /// Checks the tables, or creates them all if there are none.
    ///
    /// - Parameters:
    ///   - source: the name under which the replica knows these records; nil if there is none.
    ///   - newSource: the name to assign if the replica does not know them.
    /// - Returns: the changes, and the problems. If there are problems, nothing may be committed.
    package func run(
        source: String?, newSource: String, in target: any SQLTransaction
    ) throws -> WarehouseInstallation.Report {
        var report = WarehouseInstallation.Report()
        try WarehouseSchemaCheck(data: replica.data, metadata: replica.metadata, own: .replica, in: target)
            .run(I2B2Table.all(.postgresql).filter { !$0.isAlwaysOurs }, &report)
        guard report.problems.isEmpty else { return report }
        let known = try Self.knownSource(in: target)
        guard known == nil || known != source else { return report }
        let hasRows = try target.first(
            "SELECT 1 AS one FROM patient_mapping WHERE patient_ide_source = ? LIMIT 1",
            [SQLValue(WarehouseLoader.source)])
        guard adopts || (known == nil && hasRows == nil) else {
            report.problems.append(
                """
                \(replica.data.name).patient_mapping has rows of Tributary that are not known here: of another study, or of \
                this one before its records were restored. Remove them where they came from with `tributary \
                warehouse undo --all`; if they are this study's, take them with --adopt.
                """)
            return report
        }
        if adopts { try Self.removeFacts(in: target) }
        try target.execute("DELETE FROM replica_number")
        try target.execute("DELETE FROM replica_source")
        try target.execute("INSERT INTO replica_source (one, source) VALUES (1, ?)", [SQLValue(newSource)])
        return report
    }

    /// Returns the name under which the replica knows these records; nil if there is none.
    package static func source(in transaction: any SQLTransaction) throws -> String? {
        try ReplicaLog.source(in: transaction)
    }

    /// Returns the name of the records that a replica follows; nil if it follows none.
    package static func knownSource(in target: any SQLTransaction) throws -> String? {
        try target.first("SELECT source FROM replica_source WHERE one = 1")?.text("source")
    }

    /// Begins to log changes, unless the records already do so for this replica. All existing rows are to be copied.
    package static func follow(as source: String, in transaction: any SQLTransaction) throws {
        guard try ReplicaLog.source(in: transaction) != source else { return }
        try ReplicaLog.begin(source: source, in: transaction)
    }

    /// Deletes all rows of this program, and the views.
    ///
    /// - Returns: the number of deleted rows by table.
    package func removeAll(in target: any SQLTransaction) throws -> [String: Int] {
        // The rows of the site belong to the site.
        try JoinsOfBatch(target: target).endAll()
        var removed = try Self.removeFacts(in: target)
        let patients = "SELECT patient_num FROM patient_mapping WHERE patient_ide_source = ?"
        let known = "SELECT number FROM replica_number WHERE kind = \(ReplicaLog.Kind.patient.rawValue)"
        let source = SQLValue(WarehouseLoader.source)
        removed["patient_dimension"] = try target.execute(
            """
            DELETE FROM patient_dimension WHERE sourcesystem_cd = ? AND (patient_num IN (\(patients))
                OR patient_num IN (\(known)))
            """, [source, source])
        // The number of a deleted participant stays reserved.
        removed["patient_mapping"] = try target.execute(
            """
            DELETE FROM patient_mapping WHERE patient_ide_source IN (?, ?) AND patient_num IN (\(patients))
            """, [source, SQLValue(Numbering.hive), source])
        removed["upload_status"] = try target.execute("DELETE FROM upload_status WHERE source_cd = ?", [source])
        for own in OwnRows.ofOntology(.postgresql) where own.table != "schemes" {
            removed[own.table] = try own.delete(in: target)
        }
        removed["schemes"] = try target.execute(
            "DELETE FROM schemes WHERE c_description = c_name || ?", [SQLValue(OntologyWriter.schemeDescription)])
        removed["consent_dimension"] = try target.execute("DELETE FROM consent_dimension")
        for table in ["replica_number", "replica_source"] { try target.execute("DELETE FROM \(table)") }
        try replica.location.dropViews(in: target)
        return removed
    }

    @discardableResult
    private static func removeFacts(in target: any SQLTransaction) throws -> [String: Int] {
        let source = SQLValue(WarehouseLoader.source)
        var removed: [String: Int] = [:]
        removed["encounter_mapping"] = try target.execute(
            """
            DELETE FROM encounter_mapping WHERE encounter_num IN (SELECT encounter_num FROM encounter_mapping
                WHERE encounter_ide_source = ?)
            """, [source])
        for table in ["observation_fact", "visit_dimension"] {
            removed[table] = try target.execute(
                """
                DELETE FROM \(table) WHERE sourcesystem_cd = ? AND patient_num IN (SELECT patient_num
                    FROM patient_mapping WHERE patient_ide_source = ?)
                """, [source, source])
        }
        return removed
    }
}
