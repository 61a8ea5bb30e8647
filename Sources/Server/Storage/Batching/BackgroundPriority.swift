import Dispatch

#if canImport(Glibc)
    import Glibc
#endif

/// Priority of background work. It is lower than that of answering requests, which matters where there are too few
/// cores for both.
///
/// On Linux, Dispatch does not schedule the threads of a low quality of service after others, so each job lowers the
/// priority of its own thread. Threads are not shared between qualities of service, and nothing else in the server uses
/// these.
public enum BackgroundPriority: CInt, Sendable {
    /// Work that writes; others wait for the write lock that it holds.
    case recording = 10
    /// Work that prepares the next writes.
    case preparing = 15

    /// Quality of service of the queues that run this work.
    public var qualityOfService: DispatchQoS { self == .recording ? .utility : .background }

    /// Lowers the priority of the calling thread for good. The thread must belong to a queue of this quality of
    /// service.
    public func applyToThread() {
        #if canImport(Glibc)
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, rawValue)
        #endif
    }
}
