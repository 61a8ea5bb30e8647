import Foundation

/// The processor time of this thread: other load of the machine does not count.
public enum ThreadTime {
    /// Returns the nanoseconds of processor time of this thread since it began.
    public static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
