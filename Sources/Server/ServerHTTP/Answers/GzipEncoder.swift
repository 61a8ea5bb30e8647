import CZlib
import NIOCore

/// Makes one gzip member (RFC 1952) of bytes that come piece by piece.
final class GzipEncoder {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    /// nil where there is no memory for it.
    init?() {
        stream.initialize(to: z_stream())
        // The level costs least for texts such as these; 16 more than the window's bits asks for gzip's head.
        let begun = deflateInit2_(
            stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// What is ready of the encoded bytes once these have come.
    func encode(_ buffer: ByteBuffer) -> ByteBuffer {
        var output = ByteBuffer()
        buffer.withUnsafeReadableBytes { bytes in
            guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // zlib does not write there.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
            stream.pointee.avail_in = UInt32(bytes.count)
            run(Z_NO_FLUSH, into: &output)
        }
        return output
    }

    /// The rest, and the end.
    func finish() -> ByteBuffer {
        var output = ByteBuffer()
        stream.pointee.next_in = nil
        stream.pointee.avail_in = 0
        run(Z_FINISH, into: &output)
        return output
    }

    private func run(_ flush: CInt, into output: inout ByteBuffer) {
        while true {
            let result = piece.withUnsafeMutableBufferPointer { piece in
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(piece.count)
                return deflate(stream, flush)
            }
            let made = piece.count - Int(stream.pointee.avail_out)
            output.writeBytes(piece[..<made])
            // A piece that is not full has all that there is.
            if result != Z_OK || made < piece.count { return }
        }
    }
}
