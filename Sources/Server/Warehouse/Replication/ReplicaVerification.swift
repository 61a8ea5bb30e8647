import Storage

/// Compares the rows of an i2b2 in another database with the tables among the records' own.
///
/// Changes that are not copied yet count as differences.
package struct ReplicaVerification: Sendable {
    /// The progress and the differences found so far.
    package struct Report: Sendable, Hashable {
        /// The last compared encounter, by its number among the records.
        var lastEncounter: Int64 = 0
        /// The number of compared rows of facts.
        package var rows = 0
        /// The number of rows that the replica lacks or has with other content, by the name of their encounter.
        package var missing: [String: Int] = [:]
        /// The number of rows that the records lack or have with other content, by the name of their encounter.
        package var surplus: [String: Int] = [:]
        /// Whether everything was compared.
        package var isWhole = false

        package init() {}
    }

    private let records: any SQLDatabase
    private let replica: any NestedSQLDatabase

    private static let encounters = 200

    package init(records: any SQLDatabase, replica: any NestedSQLDatabase) {
        (self.records, self.replica) = (records, replica)
    }

    /// Compares the next encounters; at the end, checks that the replica has no others.
    package func slice(_ report: Report) async throws -> Report {
        let replica = replica
        return try await records.read { source in
            let numbers = try source.query(
                "SELECT encounter_num FROM visit_dimension WHERE encounter_num > ? ORDER BY encounter_num LIMIT ?",
                [SQLValue(report.lastEncounter), SQLValue(Int64(Self.encounters))]
            ).map { try $0.integer("encounter_num") }
            return try replica.writeNested { target in
                var report = report
                guard let last = numbers.last else {
                    let own = try source.first("SELECT count(*) AS total FROM visit_dimension")?.integer("total") ?? 0
                    let theirs =
                        try target.first(
                            """
                            SELECT count(*) AS total FROM replica_number n
                            JOIN visit_dimension v ON v.encounter_num = n.number AND v.sourcesystem_cd = ?
                            WHERE n.kind = ?
                            """, [SQLValue(WarehouseLoader.source), SQLValue(ReplicaLog.Kind.encounter.rawValue)]
                        )?.integer("total") ?? 0
                    if theirs > own { report.surplus["encounters", default: 0] += Int(theirs - own) }
                    report.isWhole = true
                    return report
                }
                let batch = ReplicaBatch(
                    Set(numbers.map { .init(kind: .encounter, number: $0) }), from: source, to: target)
                try batch.number(try batch.stage())
                for name in ["visit_dimension", "observation_fact"] { try compare(name, &report, in: target) }
                report.lastEncounter = last
                return report
            }
        }
    }

    private func compare(_ name: String, _ report: inout Report, in target: any SQLTransaction) throws {
        guard let table = I2B2Table.carried.first(where: { $0.name == name }) else { return }
        let here = StagedInsertion(table, into: name).selection
        let there = """
            SELECT \(table.stagedColumns.joined(separator: ", ")) FROM \(name) WHERE sourcesystem_cd = \
            '\(WarehouseLoader.source)' AND encounter_num IN (SELECT number FROM \(StagedNumbers.encounters.table))
            """
        func differences(_ left: String, _ right: String) throws -> [(name: String, count: Int)] {
            try target.query(
                """
                SELECT m.encounter_ide AS name, count(*) AS total FROM ((\(left)) EXCEPT ALL (\(right))) d
                JOIN \(StagedNumbers.encounters.table) e ON e.number = d.encounter_num
                JOIN tributary_encounter_mapping m ON m.encounter_num = e.given
                    AND m.encounter_ide_source = '\(WarehouseLoader.source)'
                GROUP BY m.encounter_ide
                """
            ).map { (try $0.text("name"), Int(try $0.integer("total"))) }
        }
        for difference in try differences(here, there) {
            report.missing[difference.name, default: 0] += difference.count
        }
        for difference in try differences(there, here) {
            report.surplus[difference.name, default: 0] += difference.count
        }
        let rows = try target.first("SELECT count(*) AS total FROM \(table.staged)")?.integer("total") ?? 0
        if name == "observation_fact" { report.rows += Int(rows) }
    }
}
