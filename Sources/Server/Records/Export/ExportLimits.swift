/// Limits of exports.
public struct ExportLimits: Sendable, Hashable {
    /// Maximum number of bytes of all export files.
    public var bytes: Int64 = 50 << 30
    /// The time for which a finished export is stored, in seconds.
    public var keptFor: Double = 24 * 3600
    /// Maximum running time of an export, in seconds.
    public var worksFor: Double = 12 * 3600
    /// Maximum number of unfinished exports of one client.
    public var openOfClient = 2
    /// Maximum number of stored exports of one client.
    public var keptOfClient = 20
    /// Maximum number of stored exports.
    public var kept = 200
    /// The number of bytes after which another file begins; each file is downloaded in one response.
    public var fileBytes = 64 << 20
    /// The number of bytes that are read and written at a time.
    public var pageBytes = 1 << 20
    /// The time for which a server leases an export before another one may take it over, in seconds.
    public var lease: Double = 30

    public init() {}
}
