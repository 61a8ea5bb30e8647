import CDescriptorReserve
import Foundation

/// The process's file descriptors: a connection, a database and the runtime's own files each need one.
package enum Descriptors {
    /// Maximum number of open descriptors.
    package static var limit: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of open descriptors; 0 if the system does not report it.
    package static var open: Int {
        #if os(Linux)
            let folder = "/proc/self/fd"
        #else
            let folder = "/dev/fd"
        #endif
        // Reading the folder needs a descriptor itself.
        return max(0, ((try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0) - 1)
    }

    /// The number of times that the runtime needed a reserved descriptor. A value above 0 means that descriptors ran
    /// out.
    package static var reserveUsed: Int { Int(clamping: descriptor_reserve_used()) }

    /// Raises the soft limit to the hard one, and reserves some descriptors for the runtime. Call it once at the start.
    ///
    /// libdispatch ends the process if it cannot open its own files. Connections stay below the limit by
    /// ``HTTPLimits/descriptorReserve``. The reserved descriptors are the last resort if files use up the rest.
    ///
    /// - Parameters:
    ///   - maximum: maximum of the soft limit.
    ///   - heldBack: descriptors reserved for the runtime, 16 at most; 0 for none.
    /// - Returns: the limit in force.
    @discardableResult
    package static func prepare(maximum: Int = 1 << 16, heldBack: Int = 8) -> Int {
        var limit = rlimit()
        if getrlimit(resource, &limit) == 0, limit.rlim_cur < min(limit.rlim_max, rlim_t(maximum)) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(maximum))
            // If raising is not permitted, the old limit stays in force and is returned.
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
