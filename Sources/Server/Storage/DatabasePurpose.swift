/// The purpose for which a database is opened: an engine may keep more in memory for work that writes much at once.
public enum DatabasePurpose: Sendable, Hashable {
    /// Many small transactions, as a server's: a log of some 16 MB beside the database, and of 64 MB where it is read
    /// for long.
    case serving
    /// As ``serving``, where nobody waits for what is written: behind the work of answering requests. The pages that a
    /// transaction of some ten thousand rows changes stay in memory until it ends: some 15 MB more, and a log of four times the size.
    case recording
    /// Few large ones, as those of a load of millions of rows: some 25 MB of memory more, and a log of up to 256 MB
    /// beside the database.
    case loading
    /// A store that is filled for the first time, in transactions of some ten thousand resources: some 160 MB of memory more, and
    /// a log of up to 1 GB.
    case filling

    /// Whether one statement may take as long as it takes.
    var isOfALoad: Bool { self == .loading || self == .filling }
}
