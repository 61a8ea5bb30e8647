import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that grow at their end, such as logs: read and written at offsets.
extension PosixFiles {
    /// Reads up to `count` bytes of a file from an offset; none if there is no file.
    public func read(_ file: URL, from offset: Int, count: Int) throws(DeviceStorageError) -> [UInt8] {
        let descriptor: Int32
        do throws(DeviceStorageError) {
            descriptor = try open(file, O_RDONLY)
        } catch {
            if error.reason == .fileMissing { return [] }
            throw error
        }
        defer { close(descriptor) }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, read in
            while read < buffer.count {
                let result = pread(
                    descriptor, buffer.baseAddress?.advanced(by: read), buffer.count - read, off_t(offset + read))
                if result < 0, errno == EINTR { continue }
                isWhole = result >= 0
                if result <= 0 { break }
                read += result
            }
        }
        guard isWhole else { throw failure("read", file) }
        return bytes
    }

    /// Writes bytes at an offset: the end of the file, or an offset before it, where the file is truncated first. An
    /// absent file is created, of mode 0600. When this returns, the bytes survive a loss of power; after a failure a
    /// part of them may remain at the end.
    public func write(_ bytes: [UInt8], to file: URL, at offset: Int) throws(DeviceStorageError) {
        let descriptor = try open(file, O_WRONLY | O_CREAT)
        var isOpen = true
        defer { if isOpen { close(descriptor) } }
        guard ftruncate(descriptor, off_t(offset)) == 0 else { throw failure("cut", file) }
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes { buffer in
                pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written,
                    off_t(offset + written))
            }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { throw failure("written", file) }
            written += result
        }
        try flush(descriptor, of: file)
        isOpen = false
        // Some file systems report a full disk only here.
        guard close(descriptor) == 0 else { throw failure("written", file) }
        if offset == 0 { try syncFolder(file.deletingLastPathComponent()) }
    }
}
