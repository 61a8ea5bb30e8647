import COpenSSL
import Foundation

/// OpenSSL memory BIO for input or output; freed with the object.
final class OpenSSLMemory {
    /// nil only if memory is exhausted; OpenSSL's functions then return an error.
    let bio: OpaquePointer?
    /// OpenSSL does not copy these bytes, so they live as long as the object.
    private let input: UnsafeMutableRawBufferPointer?

    /// Creates an empty buffer for output.
    init() {
        input = nil
        bio = BIO_new(BIO_s_mem())
    }

    /// Creates a buffer for input.
    init(_ bytes: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        copy.copyBytes(from: bytes)
        input = copy
        bio = BIO_new_mem_buf(copy.baseAddress, Int32(clamping: bytes.count))
    }

    deinit {
        BIO_free(bio)
        input?.deallocate()
    }

    /// Bytes in the buffer that were not read yet.
    var bytes: Data {
        var start: UnsafeMutablePointer<CChar>?
        let count = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start else { return Data() }
        return Data(bytes: start, count: count)
    }
}
