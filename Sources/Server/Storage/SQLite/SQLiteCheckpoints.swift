import GRDB
import GRDBSQLite

/// Copies the content of a database's write-ahead log into its file, concurrently with writers
/// (<https://www.sqlite.org/wal.html#ckpt>). Otherwise SQLite does it in the transaction that fills the log, while all
/// others wait.
///
/// It repeats until the whole log is copied, and the next transaction starts the log from the beginning.
/// If that fails, SQLite does it when the log is ``patience`` times as long.
actor SQLiteCheckpoints {
    /// Maximum length of the log, as a multiple of `limit`.
    static let patience = 4

    private let path: String
    /// Length of the log, in pages, at which a checkpoint begins.
    private let limit: Int
    /// Opened when the log is full for the first time.
    private var connection: DatabaseQueue?
    private var running: _Concurrency.Task<Void, Never>?
    private var isClosed = false
    /// Number of pages that had been written when the log was last copied completely.
    private var copiedPages = 0

    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Returns the number of pages that a connection has written since it was opened; 0 if SQLite does not report it.
    static func pagesWritten(by database: Database) -> Int {
        var (current, highest) = (CInt(0), CInt(0))
        let result = sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return result == SQLITE_OK ? Int(current) : 0
    }

    /// Starts a checkpoint if the log is full; returns immediately.
    ///
    /// - Parameter pages: number of pages that the writer's connection has written.
    func wrote(pages: Int) {
        guard !isClosed, running == nil, pages - copiedPages >= limit else { return }
        running = _Concurrency.Task(priority: .utility) { await copyLog(pages) }
    }

    private func copyLog(_ pages: Int) async {
        // Errors such as a full disk are ignored here: SQLite reports them to the writers.
        if let (all, copied) = try? await copy(), all == copied { copiedPages = pages }
        running = nil
    }

    private func copy() async throws -> (frames: Int, copied: Int) {
        let connection = try connection ?? DatabaseQueue(path: path)
        self.connection = connection
        return try await connection.writeWithoutTransaction { database in
            let (frames, copied) = try database.checkpoint(.passive)
            return (frames, copied)
        }
    }

    /// Waits for a running checkpoint and closes the connection.
    func close() async throws {
        isClosed = true
        await running?.value
        try connection?.close()
        connection = nil
    }
}
