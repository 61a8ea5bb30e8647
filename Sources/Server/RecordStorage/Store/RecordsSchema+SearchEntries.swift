import FHIRSearch
import Storage

extension RecordsSchema {
    /// Search entries for every parameter of the records' types, made from the contents.
    package static let searchEntries: [Migration] = [
        Migration(
            number: 414, name: "entries of every search parameter", slice: makeEntries,
            statements: { dialect in
                searchTables(dialect) + [
                    // The last processed record of an older store.
                    "CREATE TABLE IF NOT EXISTS search_progress (last bigint NOT NULL)"
                ]
            }),
        Migration(number: 415, name: "entries of eight parameters dropped") { _ in
            ["search_progress", "record_code", "record_identifier", "search_code"].map { "DROP TABLE \($0)" }
        },
    ]

    /// An index for searches by the greatest value of a range.
    package static let ranges: [Migration] = [
        Migration(number: 423, name: "index of ranges by their greatest value") { dialect in
            [
                """
                CREATE INDEX record_number_by_range ON record_number (term, high\(dialect == .sqlite ? ", number" : ""))
                WHERE low <> high
                """
            ]
        }
    ]

    /// Identifiers and codes of unknown systems are found without regard to case (``TokenCase``), so the entries of
    /// stored records are made again.
    static let entriesWithoutCase: [Migration] = [
        Migration(
            number: 440, name: "search entries without case", slice: makeEntries,
            statements: { _ in ["CREATE TABLE IF NOT EXISTS search_progress (last bigint NOT NULL)"] }),
        Migration(number: 441, name: "search entries without case made") { _ in ["DROP TABLE search_progress"] },
    ]

    /// Removes the foreign keys of the entries. Entries are written with their records in one transaction, by one
    /// writer at a time, and for each the engine looked up its record and its term once more. This was a tenth of the
    /// cost of storing a reading.
    static let unreferencedEntries: [Migration] = [
        Migration(
            number: 425, name: "search entries without references", slice: dropReferences,
            statements: { dialect in
                guard dialect == .postgresql else { return [] }
                return searchEntryTables.flatMap { table, _ in
                    ["number", "term"].map {
                        "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS \(table)_\($0)_fkey"
                    }
                }
            })
    ]

    /// SQLite has no statement that drops a constraint. Where no stored data changes, its documentation replaces the
    /// definition of the table: https://sqlite.org/lang_altertable.html, section 7.
    @Sendable private static func dropReferences(_ transaction: any SQLTransaction) throws -> Bool {
        guard transaction.dialect == .sqlite else { return false }
        // A build of SQLite with a protected schema keeps the foreign keys, which cost only time.
        guard try mayWriteSchema(transaction) else { return false }
        for (table, _) in searchEntryTables {
            let row = try transaction.first(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [SQLValue("\(table)")])
            guard let sql = try row?.text("sql") else { continue }
            let bare = [" REFERENCES record (number)", " REFERENCES search_term (number)"].reduce(sql) {
                $0.replacingOccurrences(of: $1, with: "")
            }
            try define("\(table)", as: bare, in: transaction)
        }
        try readSchemaAgain(transaction)
        return false
    }

    @Sendable private static func makeEntries(_ transaction: any SQLTransaction) throws -> Bool {
        let progress = try transaction.first("SELECT last FROM search_progress")
        let last = try progress?.integer("last") ?? 0
        guard let end = try SearchReindexing(hasStreams: false).next(after: last, in: transaction) else {
            return false
        }
        try transaction.execute(
            progress == nil
                ? "INSERT INTO search_progress (last) VALUES (?)" : "UPDATE search_progress SET last = ?",
            [SQLValue(end.last)])
        return true
    }

    /// The tables of ``SearchEntry``.
    static func searchTables(_ dialect: SQLDialect) -> [String] {
        let number = "number bigint NOT NULL REFERENCES record (number)"
        let term = "term bigint NOT NULL REFERENCES search_term (number)"
        let bounds = """
            low double precision, high double precision,
            implicit_low double precision, implicit_high double precision
            """
        // PostgreSQL stores equal keys once, as long as no further column makes each entry unique.
        func table(_ name: String, _ columns: String, key: String) -> [String] {
            let isKept = dialect == .sqlite
            return [
                "CREATE TABLE IF NOT EXISTS \(name) (\(number), \(columns)"
                    + (isKept ? ", PRIMARY KEY (\(key))) WITHOUT ROWID" : ")")
            ] + (isKept ? [] : ["CREATE INDEX IF NOT EXISTS \(name)_by_record ON \(name) (number)\(appended(dialect))"])
        }
        func index(_ name: String, _ columns: String) -> String {
            let end = dialect == .sqlite ? ", number" : ""
            return "CREATE INDEX IF NOT EXISTS \(name) ON \(columns)\(end))"
        }
        return [
            """
            CREATE TABLE IF NOT EXISTS search_term (
                number bigint PRIMARY KEY NOT NULL, type text NOT NULL, parameter text NOT NULL,
                code text NOT NULL, system text NOT NULL, display text NOT NULL,
                UNIQUE (type, parameter, code, system, display)
            )
            """,
            "CREATE INDEX IF NOT EXISTS search_term_by_system ON search_term (type, parameter, system, number)",
        ]
            + table("record_term", term, key: "number, term")
            + [index("record_term_by_term", "record_term (term")]
            + table("record_print", "\(term), print \(dialect.blob) NOT NULL", key: "number, term, print")
            + [
                // The first bytes of a digest are enough to find the few rows that have it
                // (``SearchIndex/prefix(ofKey:)``).
                dialect == .sqlite
                    ? "CREATE INDEX IF NOT EXISTS record_print_by_print ON record_print (print, term, number)"
                    : "CREATE INDEX IF NOT EXISTS record_print_by_print ON record_print "
                        + "(substr(print, 1, \(SearchIndex.keyPrefixLength)))",
                index("record_print_by_term", "record_print (term"),
            ]
            + table(
                "record_text", "\(term), folded text NOT NULL, exact text NOT NULL", key: "number, term, folded, exact")
            + [index("record_text_by_folded", "record_text (term, folded")]
            + table(
                "record_time", "\(term), low bigint NOT NULL, high bigint NOT NULL", key: "number, term, low, high")
            + [index("record_time_by_low", "record_time (term, low, high")]
            + table("record_number", "place bigint NOT NULL, \(term), \(bounds)", key: "number, place")
            + [index("record_number_by_low", "record_number (term, low, high")]
            + table(
                "record_part", "place bigint NOT NULL, part bigint NOT NULL, \(term), \(bounds)", key: "number, place")
            + [index("record_part_by_term", "record_part (term, low")]
    }

    /// The tables of the search entries, each with a unique key.
    static let searchEntryTables: [(table: StaticString, key: StaticString)] = [
        ("record_term", "number, term"), ("record_print", "number, term, print"),
        ("record_text", "number, term, folded, exact"), ("record_time", "number, term, low, high"),
        ("record_number", "number, place"), ("record_part", "number, place"),
    ]
}
