import CZlib
import NIOCore

/// Encodes chunks of bytes as one gzip member (RFC 1952).
final class GzipEncoder {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    /// Returns nil if there is not enough memory.
    init?() {
        stream.initialize(to: z_stream())
        // Level 1 is the cheapest, and enough for such texts. Adding 16 to the window bits selects the gzip header.
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

    /// Adds bytes, and returns the encoded bytes that are ready.
    func encode(_ buffer: ByteBuffer) -> ByteBuffer {
        var output = ByteBuffer()
        buffer.withUnsafeReadableBytes { bytes in
            guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            // zlib does not write to its input.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: start)
            stream.pointee.avail_in = UInt32(bytes.count)
            run(Z_NO_FLUSH, into: &output)
        }
        return output
    }

    /// Ends the member, and returns the remaining bytes.
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
            // If a chunk is not full, no output is left.
            if result != Z_OK || made < piece.count { return }
        }
    }
}
