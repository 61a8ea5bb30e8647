import Dispatch

#if canImport(Glibc)
    import Glibc
#endif

/// The priority of work that nobody waits for: behind that of answering requests where there are too few cores for both.
///
/// Linux's Dispatch gives the threads of no quality of service less than others, so each piece of such work lowers its
/// thread. Threads are not shared between qualities of service, and nothing else in the server uses this one.
public enum BackgroundPriority {
    /// The quality of service of the queues that such work runs on.
    public static let qualityOfService = DispatchQoS.utility

    /// Lowers the calling thread, which must be one of such a queue: it stays so.
    public static func takeOnThread() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        #endif
    }
}
