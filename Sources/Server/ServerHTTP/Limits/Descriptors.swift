import CDescriptorReserve
import Foundation

/// The process's file descriptors: a connection, a database and the runtime's own files each need one.
public enum Descriptors {
    /// How many may be open.
    public static var limit: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many are open; 0 where the system does not tell.
    public static var open: Int {
        #if os(Linux)
            let folder = "/proc/self/fd"
        #else
            let folder = "/dev/fd"
        #endif
        // Reading the folder takes one itself.
        return max(0, ((try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0) - 1)
    }

    /// How often the runtime needed one of those held back: anything but 0 says that descriptors were used up.
    public static var reserveUsed: Int { Int(clamping: descriptor_reserve_used()) }

    /// Call once at the start: raises the soft limit to the hard one and holds some descriptors back for the runtime.
    ///
    /// libdispatch ends the process where it cannot open its own files. Connections stay below the limit by
    /// ``HTTPLimits/descriptorReserve``; the descriptors held back are the last line, for when files use up the rest.
    ///
    /// - Parameters:
    ///   - most: the soft limit is not raised further.
    ///   - heldBack: descriptors for the runtime, at most 16; 0 for none.
    /// - Returns: the limit in force.
    @discardableResult
    public static func prepare(most: Int = 1 << 16, heldBack: Int = 8) -> Int {
        var limit = rlimit()
        if getrlimit(resource, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, rlim_t(most)) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(most))
            // Where it is not allowed, the old limit stays and is what is returned.
            _ = setrlimit(resource, &limit)
        }
        if heldBack > 0 { _ = descriptor_reserve_hold(Int32(min(heldBack, 16))) }
        return Descriptors.limit
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
