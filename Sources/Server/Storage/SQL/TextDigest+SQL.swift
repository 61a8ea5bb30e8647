import GRDB

extension TextDigest {
    /// Returns the statements that a migration runs to create the function. SQLite connections register it themselves.
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

    /// The function for SQLite connections.
    static let ofSQLite = DatabaseFunction(function, argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).map(of)
    }
}
