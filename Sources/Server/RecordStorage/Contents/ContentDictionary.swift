import CZstd
import Core
import Crypto
import Foundation
import Storage

/// A zstd dictionary: text that the resources of a type have in common, with which each is stored in a tenth of its
/// length (<https://datatracker.ietf.org/doc/html/rfc8878#section-5>). It was made from synthetic resources and is part
/// of the program. The dictionary with a number never changes: content that was compressed with it is read with it for
/// ever.
package final class ContentDictionary: Sendable {
    /// 1 to 255: each compressed content contains it, in one byte.
    package let number: Int
    /// The type of the resources that it compresses.
    package let type: String
    /// Lower-case hexadecimal SHA-256 of the bytes.
    package let sha256: String
    package let bytes: Data
    // Any thread reads both, as long as this object lives; a pointer of C is not `Sendable`.
    private let forCompression: UInt
    private let forDecompression: UInt

    /// Compares the bytes with their digest first: with a damaged dictionary zstd returns wrong content, nearly always
    /// without an error.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt`.
    package init(number: Int, type: String, sha256: String, bytes: Data) throws(StorageError) {
        guard (1...255).contains(number), Hexadecimal.text(SHA256.hash(data: bytes)) == sha256 else {
            throw Self.damaged
        }
        self.number = number
        self.type = type
        self.sha256 = sha256
        self.bytes = bytes
        let made = bytes.withUnsafeBytes { buffer in
            (
                ZSTD_getDictID_fromDict(buffer.baseAddress, buffer.count),
                ZSTD_createCDict(buffer.baseAddress, buffer.count, Self.level),
                ZSTD_createDDict(buffer.baseAddress, buffer.count)
            )
        }
        forCompression = UInt(bitPattern: made.1)
        forDecompression = UInt(bitPattern: made.2)
        guard made.0 == UInt32(number), forCompression != 0, forDecompression != 0 else { throw Self.damaged }
    }

    deinit {
        ZSTD_freeCDict(OpaquePointer(bitPattern: forCompression))
        ZSTD_freeDDict(OpaquePointer(bitPattern: forDecompression))
    }

    /// Calls the closure with the dictionary for compression.
    func compressing<T>(_ body: (OpaquePointer?) -> T) -> T {
        withExtendedLifetime(self) { body(OpaquePointer(bitPattern: forCompression)) }
    }

    /// Calls the closure with the dictionary for decompression.
    func decompressing<T>(_ body: (OpaquePointer?) -> T) -> T {
        withExtendedLifetime(self) { body(OpaquePointer(bitPattern: forDecompression)) }
    }

    /// The compression level. With a dictionary, higher levels save 1 % and take up to five times as long.
    static let level: CInt = 1

    private static let damaged = StorageError(
        code: "storage-corrupt",
        message: "A dictionary of the records' contents is damaged; restore the records from a backup, or the program.")
}
