import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// ``DurableFiles`` on the system's file system.
public struct PosixFiles: DurableFiles {
    /// Creates the file operations.
    public init() {}

    public func names(in folder: URL) throws(DeviceStorageError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw DeviceStorageError(.storageFailed, "The folder \(folder.lastPathComponent) cannot be listed.")
        }
    }

    public func read(_ file: URL) throws(DeviceStorageError) -> Data {
        let descriptor = try open(file, O_RDONLY)
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(descriptor, into: $0.baseAddress, count: $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", file) }
            if count == 0 { return content }
            content.append(contentsOf: buffer[0..<count])
        }
    }

    public func size(of file: URL) throws(DeviceStorageError) -> Int64 {
        var status = stat()
        guard lstat(file.path, &status) == 0 else {
            if errno == ENOENT { return 0 }
            throw failure("measured", file)
        }
        return Int64(status.st_size)
    }

    public func create(_ file: URL, holding content: Data) throws(DeviceStorageError) {
        let descriptor = try open(file, O_WRONLY | O_CREAT | O_EXCL)
        var rest = [UInt8](content)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, from: $0.baseAddress, count: $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure("written", file)
                close(descriptor)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        // Some file systems report a full disk only here.
        guard close(descriptor) == 0 else { throw failure("written", file) }
    }

    public func sync(_ file: URL) throws(DeviceStorageError) { try flush(file, O_RDONLY) }

    public func syncFolder(_ folder: URL) throws(DeviceStorageError) { try flush(folder, O_RDONLY | O_DIRECTORY) }

    public func move(_ file: URL, to target: URL) throws(DeviceStorageError) {
        guard rename(file.path, target.path) == 0 else { throw failure("moved", file) }
    }

    public func remove(_ file: URL) throws(DeviceStorageError) {
        guard unlink(file.path) == 0 || errno == ENOENT else { throw failure("removed", file) }
    }

    public func makeFolder(_ folder: URL) throws(DeviceStorageError) {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw DeviceStorageError(.storageFailed, "The folder \(folder.lastPathComponent) cannot be made.")
        }
        #if canImport(Darwin)
            try protect(folder)
        #endif
    }

    public func lock(_ file: URL, patience: Double) throws(DeviceStorageError) -> FileLock {
        // flock, not fcntl: its locks belong to the open file, so two holders in one process exclude each other too.
        let descriptor = try open(file, O_RDWR | O_CREAT)
        let deadline = Date(timeIntervalSinceNow: patience)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            guard code == EINTR || (code == EWOULDBLOCK && Date() < deadline) else {
                close(descriptor)
                throw code == EWOULDBLOCK
                    ? DeviceStorageError(.fileBusy, "Another process is using this folder: wait for it and try again.")
                    : DeviceStorageError(.storageFailed, "The lock file \(file.lastPathComponent) cannot be locked.")
            }
            usleep(2_000)
        }
        return FileLock {
            // A starting child process briefly shares the open file, so closing it alone would not release the lock.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    func open(_ file: URL, _ flags: Int32) throws(DeviceStorageError) -> Int32 {
        while true {
            let descriptor = systemOpen(file.path, flags: flags | O_CLOEXEC, mode: 0o600)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw failure("opened", file) }
        }
    }

    private func flush(_ file: URL, _ flags: Int32) throws(DeviceStorageError) {
        let descriptor = try open(file, flags)
        defer { close(descriptor) }
        try flush(descriptor, of: file)
    }

    func flush(_ descriptor: Int32, of file: URL) throws(DeviceStorageError) {
        #if canImport(Darwin)
            // fsync leaves the data in the drive's cache there; F_FULLFSYNC is not offered by every file system.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw failure("made durable", file) }
    }

    func failure(_ verb: String, _ file: URL) -> DeviceStorageError {
        let (code, name) = (errno, file.lastPathComponent)
        switch code {
        case ENOENT: return DeviceStorageError(.fileMissing, "The file \(name) is not there.")
        case ENOSPC, EDQUOT: return DeviceStorageError(.storageFull, "The disk is full: \(name) was not \(verb).")
        default:
            return DeviceStorageError(
                .storageFailed, "The file \(name) cannot be \(verb): \(String(cString: strerror(code))).")
        }
    }
}

private func systemOpen(_ path: String, flags: Int32, mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRead(_ file: Int32, into buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    read(file, buffer, count)
}
private func systemWrite(_ file: Int32, from buffer: UnsafeRawPointer?, count: Int) -> Int {
    write(file, buffer, count)
}
