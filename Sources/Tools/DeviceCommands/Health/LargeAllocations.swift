/// Memory settings for commands that read gigabytes.
enum LargeAllocations {
    /// Returns large blocks to the system when they are freed. glibc would keep them in the heaps of its threads,
    /// where growing tables leave gaps: half as much memory again for ten million samples.
    static func giveBack() {
        #if canImport(Glibc)
            _ = mallopt(mmapThreshold, 1 << 18)
            // Only two threads work at a time, but different ones: each would get a heap of its own, with its own
            // gaps.
            _ = mallopt(arenaMaximum, 2)
        #endif
    }

    #if canImport(Glibc)
        /// `M_MMAP_THRESHOLD` of `malloc.h`, which Swift's Glibc module leaves out.
        private static let mmapThreshold: Int32 = -3
        /// `M_ARENA_MAX` of `malloc.h`.
        private static let arenaMaximum: Int32 = -8
    #endif
}

#if canImport(Glibc)
    @_silgen_name("mallopt")
    private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif
