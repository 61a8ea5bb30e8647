import GRDB

extension TextDigest {
    /// The function in the store of PostgreSQL. SQLite connections register it themselves.
    package static let section = SchemaSection("Digests of texts") { dialect in
        dialect.word(
            postgresql: """
                -- The first bytes of the SHA-256 of a text.
                CREATE OR REPLACE FUNCTION \(function)(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
                AS 'SELECT substr(sha256(convert_to($1, ''UTF8'')), 1, \(length))';
                """)
    }

    /// The function for SQLite connections.
    static let ofSQLite = DatabaseFunction(function, argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).map(of)
    }
}
