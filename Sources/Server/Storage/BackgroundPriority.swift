import Dispatch

#if canImport(Glibc)
    import Glibc
#endif

/// The priority of work that nobody waits for: behind that of answering requests where there are too few cores for both.
///
/// Linux's Dispatch gives the threads of no quality of service less than others, so each piece of such work lowers its
/// thread. Threads are not shared between qualities of service, and nothing else in the server uses these.
public enum BackgroundPriority: CInt, Sendable {
    /// What writes: others wait for their turn behind it.
    case recording = 10
    /// What makes ready that which is written next.
    case preparing = 15

    /// The quality of service of the queues that such work runs on.
    public var qualityOfService: DispatchQoS { self == .recording ? .utility : .background }

    /// Lowers the calling thread, which must be one of such a queue: it stays so.
    public func takeOnThread() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, rawValue)
        #endif
    }
}
