import Foundation
import Storage

/// The log of changes in i2b2's tables among the records' own that are not copied to a replica yet.
///
/// Triggers write it, so that every change is copied, whatever made it. One change may be logged several times: the
/// row is copied as it is at the time of copying.
enum ReplicaLog {
    /// The kinds of rows that are copied together.
    enum Kind: Int64, CaseIterable {
        /// An encounter with its facts, its visit and its mappings.
        case encounter = 1
        /// A participant's rows.
        case patient = 2
        /// An upload.
        case upload = 3
        /// The whole ontology; its number is 0.
        case ontology = 4
    }

    /// One logged change.
    struct Change: Hashable {
        let kind: Kind
        let number: Int64
    }

    /// The tables of the log.
    static let section = SchemaSection("Changes for a replica") { dialect in
        """
        -- A change that is not copied to the replica yet.
        CREATE TABLE warehouse_change (
            sequence \(dialect.numberedKey),
            -- 1 for an encounter, 2 for a patient, 3 for an upload, 4 for the ontology.
            kind int NOT NULL,
            -- The number of the encounter, patient or upload.
            number bigint NOT NULL
        );

        -- One row: the name under which the replica knows these records; no row if there is no replica.
        CREATE TABLE warehouse_replica (
            one int PRIMARY KEY NOT NULL,
            source varchar(64) NOT NULL
        );
        """
    }

    private static let watched: [(kind: Kind, column: String, tables: [String])] = [
        (.encounter, "encounter_num", ["observation_fact", "visit_dimension", "encounter_mapping"]),
        (.patient, "patient_num", ["patient_dimension", "patient_mapping", "consent_dimension"]),
        (.upload, "upload_id", ["upload_status"]),
        (.ontology, "", OwnRows.ofOntology(.sqlite).map(\.table)),
    ]

    private static let events = ["INSERT", "UPDATE", "DELETE"]

    /// Begins to log changes, under a new name, and logs all existing rows.
    static func begin(source: String, in transaction: any SQLTransaction) throws {
        try end(in: transaction)
        try transaction.execute(
            "INSERT INTO warehouse_replica (one, source) VALUES (1, ?)", [SQLValue(source)])
        if transaction.dialect == .postgresql {
            try transaction.execute(
                """
                CREATE OR REPLACE FUNCTION warehouse_note() RETURNS trigger LANGUAGE plpgsql AS $note$ BEGIN
                EXECUTE format('INSERT INTO %I.warehouse_change (kind, number) SELECT DISTINCT %s, %s FROM changed',
                TG_TABLE_SCHEMA, TG_ARGV[0], TG_ARGV[1]); RETURN NULL; END $note$
                """)
        }
        for (kind, column, tables) in watched {
            for table in tables {
                for event in events {
                    try transaction.execute(
                        trigger(event, of: table, kind: kind, column: column, dialect: transaction.dialect))
                }
            }
        }
        try logAll(in: transaction)
    }

    /// Ends the log, and deletes its entries.
    static func end(in transaction: any SQLTransaction) throws {
        for table in watched.flatMap(\.tables) {
            for event in events {
                let name = "warehouse_\(event.lowercased())_\(table)"
                switch transaction.dialect {
                case .sqlite: try transaction.execute("DROP TRIGGER IF EXISTS \(name)")
                case .postgresql: try transaction.execute("DROP TRIGGER IF EXISTS \(name) ON \(table)")
                }
            }
        }
        if transaction.dialect == .postgresql { try transaction.execute("DROP FUNCTION IF EXISTS warehouse_note()") }
        try transaction.execute("DELETE FROM warehouse_change")
        try transaction.execute("DELETE FROM warehouse_replica")
    }

    private static func trigger(
        _ event: String, of table: String, kind: Kind, column: String, dialect: SQLDialect
    ) -> String {
        let isOld = event == "DELETE"
        let name = "warehouse_\(event.lowercased())_\(table)"
        switch dialect {
        case .sqlite:
            let number = column.isEmpty ? "0" : (isOld ? "OLD." : "NEW.") + column
            return """
                CREATE TRIGGER \(name) AFTER \(event) ON \(table) BEGIN
                INSERT INTO warehouse_change (kind, number) VALUES (\(kind.rawValue), \(number)); END
                """
        case .postgresql:
            return """
                CREATE TRIGGER \(name) AFTER \(event) ON \(table) REFERENCING \(isOld ? "OLD" : "NEW") TABLE AS changed
                FOR EACH STATEMENT EXECUTE FUNCTION warehouse_note('\(kind.rawValue)', '\(column.isEmpty ? "0" : column)')
                """
        }
    }

    private static func logAll(in transaction: any SQLTransaction) throws {
        for (kind, from) in [
            (Kind.patient, "SELECT DISTINCT patient_num FROM patient_mapping"),
            (.upload, "SELECT upload_id FROM upload_status"),
            (.encounter, "SELECT encounter_num FROM visit_dimension ORDER BY encounter_num"),
            (.ontology, "SELECT 0"),
        ] {
            try transaction.execute(
                "INSERT INTO warehouse_change (kind, number) SELECT \(kind.rawValue), a.* FROM (\(from)) a")
        }
    }

    /// Returns the name under which the replica knows these records; nil if there is none.
    static func source(in transaction: any SQLTransaction) throws -> String? {
        try transaction.first("SELECT source FROM warehouse_replica WHERE one = 1")?.text("source")
    }

    /// Returns the earliest changes.
    ///
    /// - Returns: the changes to copy, and the numbers of their log entries.
    static func next(in transaction: any SQLTransaction) throws -> (changes: Set<Change>, entries: [Int64]) {
        var (changes, entries): (Set<Change>, [Int64]) = ([], [])
        var encounters = 0
        let rows = try transaction.query(
            "SELECT sequence, kind, number FROM warehouse_change ORDER BY sequence LIMIT ?",
            [SQLValue(Int64(entriesAtATime))])
        for row in rows {
            let entry = try row.integer("sequence")
            guard let kind = Kind(rawValue: try row.integer("kind")) else {
                entries.append(entry)
                continue
            }
            let change = Change(kind: kind, number: try row.integer("number"))
            if kind == .encounter, !changes.contains(change) {
                guard encounters < encountersAtATime else { continue }
                encounters += 1
            }
            changes.insert(change)
            entries.append(entry)
        }
        return (changes, entries)
    }

    private static let entriesAtATime = 5_000
    private static let encountersAtATime = 200

    /// Deletes these log entries. A later change has an entry of its own.
    static func forget(_ entries: [Int64], in transaction: any SQLTransaction) throws {
        for part in InNumbers.parts(of: entries) {
            try transaction.execute(
                "DELETE FROM warehouse_change WHERE sequence IN \(part.placeholders)", part.parameters)
        }
    }

    static func hasEntries(in transaction: any SQLTransaction) throws -> Bool {
        try transaction.first("SELECT 1 AS one FROM warehouse_change LIMIT 1") != nil
    }

    /// Returns the number of log entries.
    static func count(in transaction: any SQLTransaction) throws -> Int {
        Int(try transaction.first("SELECT count(*) AS total FROM warehouse_change")?.integer("total") ?? 0)
    }
}
