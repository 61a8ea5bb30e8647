extension StorageError {
    /// Creates the error that the server reports.
    ///
    /// - Parameters:
    ///   - sqlState: https://www.postgresql.org/docs/current/errcodes-appendix.html
    /// - location: names of the table, the column and the constraint that the server reports.
    /// - primary: the server's message. For data errors it contains the value, and is not passed on.
    init(sqlState: String, location: String, primary: String) {
        let at = location.isEmpty ? "" : " (\(location))"
        switch (sqlState.prefix(2), sqlState) {
        case (_, "53100"):
            self.init(
                code: "storage-full", message: "The database's disk is full; free some space. Nothing was half-written."
            )
        case (_, "22021"), (_, "22P05"):
            self.init(code: "storage-text", message: "A text cannot be stored as UTF-8\(at).")
        case ("22", _), ("23", _):
            self.init(code: "storage-constraint", message: "The database refused a row\(at): SQLSTATE \(sqlState).")
        case ("40", "40001"), ("40", "40P01"):
            self.init(code: "storage-conflict", message: "Others changed the same rows; try again.")
        case (_, "55P03"), (_, "57014"), ("40", _): self = .tooSlow
        case ("58", _):
            self.init(code: "storage-io", message: "The database could not read or write a file of its own.")
        case ("XX", "XX001"), ("XX", "XX002"):
            self.init(code: "storage-corrupt", message: "The database is damaged\(at).")
        // A standby reports a write as an unsupported feature.
        case ("0A", _) where primary.contains("recovery"), (_, "25006"), (_, "42501"):
            self.init(
                code: "storage-read-only",
                message: "The database's user may not do this\(at); the server says: \(primary).")
        case ("08", _), ("57", _), ("53", _), ("28", _), ("3D", _):
            self.init(code: "storage-open", message: "The database cannot be used: \(primary).")
        case (_, "42P01"), (_, "42703"), (_, "42804"), (_, "42846"), (_, "42883"), (_, "42P10"), ("0A", _):
            self.init(
                code: "storage-tables",
                message: "The database's tables have an unexpected form: \(primary) (SQLSTATE \(sqlState)).")
        default:
            self.init(
                code: "storage-failed",
                message: "The database refused a statement: \(primary) (SQLSTATE \(sqlState)).")
        }
    }

    /// Error of a statement that the server ended because of another's lock or a time limit, or that was cancelled.
    static let tooSlow = StorageError(
        code: "storage-busy", message: "Others keep the database locked, or it is too slow; try again.")

    /// Creates the error of a connection that cannot be opened or was lost.
    static func unreachable(_ detail: String) -> StorageError {
        StorageError(
            code: "storage-open",
            message: "The database server cannot be reached; pending work is retried: \(detail)")
    }
}
