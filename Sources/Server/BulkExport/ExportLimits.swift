/// Limits of exports.
package struct ExportLimits: Sendable, Hashable {
    /// Maximum number of bytes of all export files.
    package var bytes: Int64 = 50 << 30
    /// The time for which a finished export is stored, in seconds.
    package var keptFor: Double = 24 * 3600
    /// Maximum running time of an export, in seconds.
    package var worksFor: Double = 12 * 3600
    /// Maximum number of unfinished exports of one client.
    package var openOfClient = 2
    /// Maximum number of stored exports of one client.
    package var keptOfClient = 20
    /// Maximum number of stored exports.
    package var kept = 200
    /// The number of bytes after which another file begins; each file is downloaded in one response.
    package var fileBytes = 64 << 20
    /// The number of bytes that are read and written at a time.
    package var pageBytes = 1 << 20
    /// The time for which a server leases an export before another one may take it over, in seconds.
    package var lease: Double = 30

    package init() {}
}
