import FHIRSearch
import Storage

extension RecordsSchema {
    /// The tables of ``SearchEntry``.
    ///
    /// The entries have no foreign keys: for each entry the engine looked up its record and its term once more, a tenth
    /// of the cost of storing a reading. They are written with their records in one transaction, by one writer at a
    /// time.
    static let searchEntries = SchemaSection("Search entries") { dialect in
        // SQLite stores the rows in the key, and answers from an index alone if it ends with the number. PostgreSQL stores
        // equal keys of an index once, as long as no further column makes each entry unique.
        func key(_ columns: String) -> String { dialect.word(sqlite: ",\n    PRIMARY KEY (\(columns))") }
        func byRecord(_ table: String) -> String {
            dialect.word(postgresql: "CREATE INDEX \(table)_by_record ON \(table) (number)\(dialect.appended);")
        }
        let end = dialect.word(sqlite: ", number")
        return """
            -- The values of every search parameter, by record.

            -- A value that many records share: a parameter of a type with a code, a text or a unit. Entries refer to its
            -- number.
            CREATE TABLE search_term (
                number bigint PRIMARY KEY NOT NULL,
                -- The type of the resources.
                type text NOT NULL,
                parameter text NOT NULL,
                code text NOT NULL,
                system text NOT NULL,
                display text NOT NULL,
                UNIQUE (type, parameter, code, system, display)
            );
            CREATE INDEX search_term_by_system ON search_term (type, parameter, system, number);

            -- An entry of a code, a reference or a URI.
            CREATE TABLE record_term (
                number bigint NOT NULL,
                term bigint NOT NULL\(key("number, term"))
            ) \(dialect.keptInKey);
            \(byRecord("record_term"))
            CREATE INDEX record_term_by_term ON record_term (term\(end));

            -- An entry of a value that is a resource's own, such as an identifier.
            CREATE TABLE record_print (
                number bigint NOT NULL,
                -- The parameter and the system.
                term bigint NOT NULL,
                -- The first bytes of the SHA-256 of the value.
                print \(dialect.blob) NOT NULL\(key("number, term, print"))
            ) \(dialect.keptInKey);
            \(byRecord("record_print"))
            CREATE INDEX record_print_by_term ON record_print (term\(dialect.word(sqlite: ", print, number")));
            \(dialect.word(postgresql: """
                -- The first bytes of a digest are enough to find the few rows that have it.
                CREATE INDEX record_print_by_print ON record_print (substr(print, 1, \(SearchIndex.keyPrefixLength)));
                """))

            -- An entry of a text.
            CREATE TABLE record_text (
                number bigint NOT NULL,
                term bigint NOT NULL,
                -- Without case and accents.
                folded text NOT NULL,
                exact text NOT NULL\(key("number, term, folded, exact"))
            ) \(dialect.keptInKey);
            \(byRecord("record_text"))
            CREATE INDEX record_text_by_folded ON record_text (term, folded\(end));

            -- An entry of a time, in milliseconds since 1970.
            CREATE TABLE record_time (
                number bigint NOT NULL,
                term bigint NOT NULL,
                low bigint NOT NULL,
                high bigint NOT NULL\(key("number, term, low, high"))
            ) \(dialect.keptInKey);
            \(byRecord("record_time"))
            CREATE INDEX record_time_by_low ON record_time (term, low, high\(end));

            -- An entry of a number, or of a quantity with its unit as the term.
            CREATE TABLE record_number (
                number bigint NOT NULL,
                -- The index of the entry in its record.
                place bigint NOT NULL,
                term bigint NOT NULL,
                -- The bounds of the value; NULL without a bound.
                low double precision,
                high double precision,
                -- The bounds with the precision that the digits imply.
                implicit_low double precision,
                implicit_high double precision\(key("number, place"))
            ) \(dialect.keptInKey);
            \(byRecord("record_number"))
            CREATE INDEX record_number_by_low ON record_number (term, low, high\(end));
            -- Searches by the greatest value of a range.
            CREATE INDEX record_number_by_range ON record_number (term, high\(end)) WHERE low <> high;

            -- An entry of a component's value in a value of a composite parameter.
            CREATE TABLE record_part (
                number bigint NOT NULL,
                -- The index of the entry in its record.
                place bigint NOT NULL,
                -- The number of the composite value.
                part bigint NOT NULL,
                term bigint NOT NULL,
                low double precision,
                high double precision,
                implicit_low double precision,
                implicit_high double precision\(key("number, place"))
            ) \(dialect.keptInKey);
            \(byRecord("record_part"))
            CREATE INDEX record_part_by_term ON record_part (term, low\(end));
            """
    }

    /// The tables of the search entries, each with a unique key.
    static let searchEntryTables: [(table: StaticString, key: StaticString)] = [
        ("record_term", "number, term"), ("record_print", "number, term, print"),
        ("record_text", "number, term, folded, exact"), ("record_time", "number, term, low, high"),
        ("record_number", "number, place"), ("record_part", "number, place"),
    ]
}
