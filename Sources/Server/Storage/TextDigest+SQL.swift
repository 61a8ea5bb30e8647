import GRDB

extension TextDigest {
    /// What a migration states so that the database has the function. SQLite's connections bring it with them.
    public static func definition(_ dialect: SQLDialect) -> [String] {
        switch dialect {
        case .sqlite: []
        case .postgresql:
            [
                """
                CREATE OR REPLACE FUNCTION \(function)(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
                AS 'SELECT substr(sha256(convert_to($1, ''UTF8'')), 1, \(length))'
                """
            ]
        }
    }

    /// The function as a connection of SQLite has it.
    static let ofSQLite = DatabaseFunction(function, argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).map(of)
    }
}
