import CPQ

/// A database as its URL names it: `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full`
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
///
/// Certificates and the rest are libpq's own settings. A password stands in the file that `PGPASSFILE` names, never in the
/// URL: command lines are seen by everybody on the machine.
public struct PostgreSQLAddress: Sendable, Hashable {
    let url: String

    /// - Throws: ``StorageError``: `storage-address` for what is no such URL, `storage-password-in-url`.
    public init(_ url: String) throws(StorageError) {
        guard PostgreSQLAddress.isOne(url) else { throw Self.unreadable }
        var message: UnsafeMutablePointer<CChar>?
        // What the library says about it quotes the URL.
        let options = PQconninfoParse(url, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard var option = options else { throw Self.unreadable }
        while let keyword = option.pointee.keyword {
            if option.pointee.val != nil, ["password", "sslpassword"].contains(String(cString: keyword)) {
                throw StorageError(
                    code: "storage-password-in-url",
                    message: "The database's URL holds a password; write it into the file that PGPASSFILE names.")
            }
            option += 1
        }
        self.url = url
    }

    /// Whether a text is a URL of PostgreSQL, and not one of a file.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    private static let unreadable = StorageError(
        code: "storage-address",
        message: "The database's URL cannot be read; write postgresql://USER@HOST:PORT/DATABASE.")
}
