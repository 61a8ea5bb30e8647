import Foundation

/// The time that this thread works: what else the machine does at the same time does not count.
public enum ThreadTime {
    /// The nanoseconds that this thread has worked since it began.
    public static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
