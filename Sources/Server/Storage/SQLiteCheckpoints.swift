import GRDB
import GRDBSQLite

/// Brings what a database's log holds into its file beside those who write
/// (<https://www.sqlite.org/wal.html#ckpt>). SQLite would do it in the transaction that fills the log, while all others wait.
///
/// It does it in turns until nothing of the log is left to be brought, and the next transaction begins the log anew.
/// Where it cannot, SQLite does it when the log is ``patience`` times as long.
actor SQLiteCheckpoints {
    /// So many times as long as it should be may the log become.
    static let patience = 4

    private let path: String
    /// So many pages should the log have at most.
    private let limit: Int
    /// Made when the log is full for the first time.
    private var connection: DatabaseQueue?
    private var running: _Concurrency.Task<Void, Never>?
    private var isClosed = false
    /// How many pages had been written when nothing was left to be brought.
    private var brought = 0

    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// How many pages a connection wrote since it was opened; 0 where SQLite does not tell.
    static func pagesWritten(by database: Database) -> Int {
        var (current, highest) = (CInt(0), CInt(0))
        let result = sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return result == SQLITE_OK ? Int(current) : 0
    }

    /// Begins a turn where the log is full; it returns at once.
    ///
    /// - Parameter pages: as many pages as the connection that writes has written.
    func wrote(pages: Int) {
        guard !isClosed, running == nil, pages - brought >= limit else { return }
        running = _Concurrency.Task(priority: .utility) { await bring(pages) }
    }

    private func bring(_ pages: Int) async {
        // What keeps it from its work, such as a full disk, those who write are told by SQLite.
        if let (all, copied) = try? await copy(), all == copied { brought = pages }
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

    /// Waits for the turn that is under way and lets go of the file.
    func close() async throws {
        isClosed = true
        await running?.value
        try connection?.close()
        connection = nil
    }
}
