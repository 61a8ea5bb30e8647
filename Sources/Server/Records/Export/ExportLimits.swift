/// How much exports may take.
public struct ExportLimits: Sendable, Hashable {
    /// The bytes of all files of exports together.
    public var bytes: Int64 = 50 << 30
    /// For how long a finished export is kept, in seconds.
    public var keptFor: Double = 24 * 3600
    /// For how long one may work, in seconds.
    public var worksFor: Double = 12 * 3600
    /// The exports of one client that are not finished.
    public var openOfClient = 2
    /// All exports of one client that are kept.
    public var keptOfClient = 20
    /// All exports that are kept.
    public var kept = 200
    /// The bytes after which another file is begun: each is downloaded in one answer.
    public var fileBytes = 64 << 20
    /// The bytes that are read and written at a time.
    public var pageBytes = 1 << 20
    /// For how long a server has an export before another one takes it up, in seconds.
    public var lease: Double = 30

    public init() {}
}
