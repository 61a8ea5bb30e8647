#if os(Linux)
    import Foundation
    import Glibc

    /// A file system in memory of a given size, for tests of full disks.
    public struct SmallDisk: Sendable {
        /// The folder at which it is mounted.
        public let path: String

        fileprivate init?(path: String, size: String) {
            self.path = path
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else { return nil }
        }

        /// Changes its size. Its contents stay.
        public func resize(to size: String) throws {
            guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(size)") == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
            }
        }

        fileprivate func unmount() { umount2(path, Int32(MNT_DETACH)) }
    }

    /// Passes the body a disk of a size such as `2m`. If nothing may be mounted, that is printed and the body is
    /// skipped.
    public func withSmallDisk(_ size: String, _ body: (SmallDisk) async throws -> Void) async throws {
        try await withTemporaryFolder { path async throws in
            guard let disk = SmallDisk(path: path, size: size) else {
                print("skipped: a small tmpfs cannot be mounted here")
                return
            }
            defer { disk.unmount() }
            try await body(disk)
        }
    }
#endif
