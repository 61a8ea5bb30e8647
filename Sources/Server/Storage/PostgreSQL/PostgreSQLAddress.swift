import CPQ

/// URL of a database: `postgresql://USER@HOST:PORT/DATABASE?sslmode=verify-full`
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
///
/// Certificates and other settings are those of libpq. The password is in the file that `PGPASSFILE` names, never in
/// the URL, because all users of the machine can see command lines.
public struct PostgreSQLAddress: Sendable, Hashable {
    let url: String

    /// - Throws: ``StorageError``: `storage-address` for any other text, `storage-password-in-url`.
    public init(_ url: String) throws(StorageError) {
        guard PostgreSQLAddress.isOne(url) else { throw Self.unreadable }
        var message: UnsafeMutablePointer<CChar>?
        // The library's own message is not used, because it quotes the URL.
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

    /// Whether a text is a PostgreSQL URL and not the path of a file.
    public static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    private static let unreadable = StorageError(
        code: "storage-address",
        message: "The database's URL cannot be read; write postgresql://USER@HOST:PORT/DATABASE.")
}
