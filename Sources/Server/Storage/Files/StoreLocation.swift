import Foundation

/// Location of a store: an SQLite file or a PostgreSQL database.
public enum StoreLocation: Sendable, Hashable {
    /// Path of a file.
    case file(String)
    /// Database on a server; the store's tables are in a schema of their own.
    case postgreSQL(PostgreSQLAddress)

    /// Parses a location: `postgresql://USER@HOST:PORT/DATABASE`, `sqlite:PATH`, or a path.
    ///
    /// - Parameter folder: folder to which a relative path refers; nil keeps the path unchanged.
    /// - Throws: ``StorageError``; `storage-engine-unknown` for another scheme, `storage-address`,
    ///   `storage-password-in-url`, `storage-open` for an empty path.
    public init(_ text: String, below folder: URL? = nil) throws(StorageError) {
        if PostgreSQLAddress.isOne(text) {
            self = .postgreSQL(try PostgreSQLAddress(text))
            return
        }
        var path = text
        if let colon = text.firstIndex(of: ":"), !text[..<colon].contains("/") {
            guard text[..<colon].lowercased() == "sqlite" else {
                throw StorageError(
                    code: "storage-engine-unknown",
                    message: "The database is a path, sqlite:PATH or postgresql://...; no other engine is known.")
            }
            path = String(text[text.index(after: colon)...])
        }
        guard !path.isEmpty else {
            throw StorageError(
                code: "storage-open", message: "The database's URL names no file: write sqlite:PATH.")
        }
        if let folder, !path.hasPrefix("/") { path = folder.appendingPathComponent(path).path }
        self = .file(path)
    }

    /// Path of the file; nil on a server.
    public var path: String? { if case .file(let path) = self { path } else { nil } }
}

extension StoreLocation: CustomStringConvertible {
    /// The location as in the configuration; a URL contains no password.
    public var description: String {
        switch self {
        case .file(let path): path
        case .postgreSQL(let address): address.url
        }
    }
}
