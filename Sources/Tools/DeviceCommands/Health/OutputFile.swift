import Foundation

/// A file of health data that is written through a buffer and appears only when it is complete. It is readable only by
/// its owner from the first byte, and replaces an existing regular file only if requested.
package final class OutputFile {
    private let handle: FileHandle
    private let temporary: URL
    private let target: URL
    private var buffer: [UInt8] = []

    /// Number of bytes that are written at once: few enough to stay in the processor's cache.
    private static let flushed = 1 << 17

    /// - Parameter replaces: whether an existing file is replaced.
    /// - Throws: ``CommandError`` `file-exists`, `file-unwritable`.
    package init(path: String, replaces: Bool = false) throws {
        try Self.check(path, replaces: replaces)
        target = URL(fileURLWithPath: path)
        temporary = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).part")
        // A device such as /dev/null cannot be the target of a rename.
        let direct = path.hasPrefix("/dev/")
        let file = direct ? target : temporary
        // A file that a killed run left is not in use.
        if !direct { unlink(temporary.path) }
        let descriptor = opened(file.path, direct ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL)
        guard descriptor >= 0 else {
            throw CommandError("file-unwritable", "The file \(path) cannot be written.")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        buffer.reserveCapacity(Self.flushed * 5 / 4)
    }

    /// Writes a whole file at once.
    package static func write(_ data: Data, to path: String, replaces: Bool) throws {
        let file = try OutputFile(path: path, replaces: replaces)
        do {
            file.buffer.append(contentsOf: data)
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// - Throws: ``CommandError`` `file-exists`.
    package static func check(_ path: String, replaces: Bool) throws {
        var isFolder: ObjCBool = false
        guard !replaces, !path.hasPrefix("/dev/"),
            FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
        else { return }
        throw CommandError("file-exists", "There is a file \(path) already; --force replaces it.")
    }

    /// Appends a line, which the closure writes.
    package func write(line body: (inout [UInt8]) -> Void) throws {
        body(&buffer)
        buffer.append(0x0A)
        if buffer.count > Self.flushed { try flush() }
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws {
        buffer += bytes
        if buffer.count > Self.flushed { try flush() }
    }

    package func finish() throws {
        try flush()
        try handle.close()
        guard FileManager.default.fileExists(atPath: temporary.path) else { return }
        guard rename(temporary.path, target.path) == 0 else {
            throw CommandError("file-unwritable", "The file \(target.path) cannot be written.")
        }
    }

    /// Deletes the unfinished file.
    package func discard() {
        try? handle.close()
        try? FileManager.default.removeItem(at: temporary)
    }

    private func flush() throws {
        let descriptor = handle.fileDescriptor
        var failure: Int32?
        buffer.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failure == nil {
                let count = written(rest, to: descriptor)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    failure = count == 0 ? ENOSPC : errno
                }
            }
        }
        if let failure {
            throw CommandError(
                "file-unwritable",
                "The file \(target.path) cannot be written: \(String(cString: strerror(failure))).")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

private func opened(_ path: String, _ flags: Int32) -> Int32 { open(path, flags | O_CLOEXEC, 0o600) }

/// Outside of the type, where `write` would mean its method.
private func written(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int {
    write(descriptor, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
}
