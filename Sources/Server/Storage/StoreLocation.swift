import Foundation

/// Where a store is: a file of SQLite, or a database of PostgreSQL.
public enum StoreLocation: Sendable, Hashable {
    /// The path of a file.
    case file(String)
    /// A database on a server; the store's tables stand in a schema of their own.
    case postgreSQL(PostgreSQLAddress)

    /// Reads a location: `postgresql://USER@HOST:PORT/DATABASE`, `sqlite:PATH`, or a path alone.
    ///
    /// - Parameter folder: what a relative path is below; nil leaves it as it stands.
    /// - Throws: ``StorageError``; `storage-engine-unknown` for another scheme, `storage-address`,
    ///   `storage-password-in-url`, `storage-open` where no file is named.
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

    /// The file's path; nil on a server.
    public var path: String? { if case .file(let path) = self { path } else { nil } }
}

extension StoreLocation: CustomStringConvertible {
    /// As it is written: a URL holds no password.
    public var description: String {
        switch self {
        case .file(let path): path
        case .postgreSQL(let address): address.url
        }
    }
}
