/// The settings of memory for commands that read gigabytes.
enum LargeAllocations {
    /// Gives large blocks back to the system when they are freed. glibc would keep them in the heaps of its threads, where
    /// tables that grow leave holes: half as much memory again at ten million samples.
    static func giveBack() {
        #if canImport(Glibc)
            _ = mallopt(mmapThreshold, 1 << 18)
            // Two cores work, but on whichever threads are free: each would get a heap of its own, with holes of its own.
            _ = mallopt(arenaMaximum, 2)
        #endif
    }

    #if canImport(Glibc)
        /// `M_MMAP_THRESHOLD` of `malloc.h`, which Swift's Glibc module leaves out.
        private static let mmapThreshold: Int32 = -3
        /// `M_ARENA_MAX`, likewise.
        private static let arenaMaximum: Int32 = -8
    #endif
}

#if canImport(Glibc)
    @_silgen_name("mallopt")
    private func mallopt(_ parameter: Int32, _ value: Int32) -> Int32
#endif
