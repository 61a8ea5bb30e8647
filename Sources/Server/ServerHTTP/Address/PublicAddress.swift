import Synchronization

/// The public address of a server, for the links in its answers. The `Host` field of a request is not used, because the
/// client controls it.
package final class PublicAddress: Sendable {
    private let known: Mutex<String>
    private let isSaid: Bool

    /// - Parameter url: the configured URL, without a slash at its end; nil for the address that the server listens on.
    package init(_ url: String? = nil) {
        known = Mutex(url ?? "http://localhost")
        isSaid = url != nil
    }

    /// Sets the address that the server listens on. It is used if no URL was configured.
    @inline(never)
    package func listen(at url: String) {
        if !isSaid { known.withLock { $0 = url } }
    }

    /// Scheme, host, port and path, without a slash at the end.
    package var url: String { @inline(never) get { known.withLock { $0 } } }
}
