import Synchronization

/// The address under which others reach a server, for the links in its answers. What a request says in `Host` is nobody's
/// word but the client's.
public final class PublicAddress: Sendable {
    private let known: Mutex<String>
    private let isSaid: Bool

    /// - Parameter url: as it was configured, without a slash at its end; nil for the address that is listened on.
    public init(_ url: String? = nil) {
        known = Mutex(url ?? "http://localhost")
        isSaid = url != nil
    }

    /// Notes where the server listens, which counts where nothing was configured.
    @inline(never)
    public func listen(at url: String) {
        if !isSaid { known.withLock { $0 = url } }
    }

    /// Scheme, host, port and path, without a slash at the end.
    public var url: String { @inline(never) get { known.withLock { $0 } } }
}
