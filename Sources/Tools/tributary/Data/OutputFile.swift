import Foundation

/// A file that is written through a buffer and appears whole.
final class OutputFile {
    private let handle: FileHandle
    private let temporary: URL
    private let target: URL
    private var buffer: [UInt8] = []

    /// So much is written at once: small enough to stay in the processor's cache until then.
    private static let flushed = 1 << 17

    init(path: String) throws {
        target = URL(fileURLWithPath: path)
        temporary = target.deletingLastPathComponent().appendingPathComponent(".\(target.lastPathComponent).part")
        // A device such as /dev/null cannot be renamed over.
        let direct = path.hasPrefix("/dev/")
        let place = direct ? target : temporary
        if !direct { _ = FileManager.default.createFile(atPath: temporary.path, contents: nil) }
        guard let handle = FileHandle(forWritingAtPath: place.path) else {
            throw CommandError("file-unwritable", "The file \(path) cannot be written.")
        }
        self.handle = handle
        buffer.reserveCapacity(Self.flushed * 5 / 4)
    }

    /// Appends a line, which the body writes.
    func write(line body: (inout [UInt8]) -> Void) throws {
        body(&buffer)
        buffer.append(0x0A)
        if buffer.count > Self.flushed { try flush() }
    }

    func finish() throws {
        try flush()
        try handle.close()
        guard FileManager.default.fileExists(atPath: temporary.path) else { return }
        guard rename(temporary.path, target.path) == 0 else {
            throw CommandError("file-unwritable", "The file \(target.path) cannot be written.")
        }
    }

    /// Removes what was written so far.
    func discard() {
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

/// Outside of the file's own type, where `write` would mean its method.
private func written(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int {
    write(descriptor, UnsafeRawBufferPointer(rebasing: bytes).baseAddress, bytes.count)
}
