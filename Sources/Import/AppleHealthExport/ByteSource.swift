#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bytes of an export's XML, from a file or an archive.
protocol ByteSource: AnyObject {
    /// Reads some bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int

    /// The reason why the bytes ended early, after they did; nil if they did not.
    var damage: (code: String, message: String)? { get }
}

/// A file.
final class FileBytes: ByteSource {
    private let descriptor: Int32
    private(set) var damage: (code: String, message: String)?
    /// The number of bytes that were read.
    private(set) var position: Int64 = 0
    /// The size of the file when it was opened.
    let size: Int64

    init(path: String) throws(ExportError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(errno: errno) }
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 {
                position += Int64(count)
                return count
            }
            guard errno == EINTR else {
                damage = ("export-read-error", "The file could not be read to its end.")
                return 0
            }
        }
    }

    /// Returns the first bytes of a file.
    static func head(path: String, count: Int) throws(ExportError) -> [UInt8] {
        let file = try FileBytes(path: path)
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let start = filled
            let result = bytes.withUnsafeMutableBytes { buffer -> Result<Int, ExportError> in
                Result { () throws(ExportError) in
                    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
                }
            }
            let got = try result.get()
            if got == 0 { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }
}
