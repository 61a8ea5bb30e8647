import COpenSSL
import Foundation

/// OpenSSL's input and output in memory; freed with the object.
final class OpenSSLMemory {
    /// nil only if there is no memory left; OpenSSL's functions then fail and return so.
    let bio: OpaquePointer?
    /// OpenSSL reads the bytes where they lie, so they live as long as the object.
    private let input: UnsafeMutableRawBufferPointer?

    /// Empty, to be written to.
    init() {
        input = nil
        bio = BIO_new(BIO_s_mem())
    }

    /// To be read from.
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

    /// The bytes that are in it and not yet read.
    var bytes: Data {
        var start: UnsafeMutablePointer<CChar>?
        let count = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
        guard count > 0, let start else { return Data() }
        return Data(bytes: start, count: count)
    }
}
