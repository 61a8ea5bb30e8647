/// Purpose for which a database is opened. An engine may use more memory for purposes that write much at once.
public enum DatabasePurpose: Sendable, Hashable {
    /// Many small transactions, as in a server. SQLite's write-ahead log takes about 16 MB next to the database, and 64
    /// MB during a long read.
    case serving
    /// As ``serving``, for writes that no request waits for, at a lower priority than answering requests. The pages
    /// that a transaction of about ten thousand rows changes stay in memory until it ends: about 15 MB more memory, and
    /// a log of four times the size.
    case recording
    /// A few large transactions, as in a load of millions of rows: about 25 MB more memory, and a log of up to 256 MB
    /// next to the database.
    case loading
    /// First filling of a store, in transactions of about ten thousand resources: about 160 MB more memory, and a log
    /// of up to 1 GB.
    case filling

    /// Whether statements have no time limit.
    var isLoad: Bool { self == .loading || self == .filling }
}
