import CZstd
import Core
import Crypto
import Foundation
import Storage

/// Text that the resources of a type have in common, by which each of them is stored in a tenth of its length
/// (<https://datatracker.ietf.org/doc/html/rfc8878#section-5>). It was made of resources of nobody, goes with the program,
/// and never changes under its number: what was stored with it is read with it for ever.
public final class ContentDictionary: Sendable {
    /// 1 to 255: it stands in each content, in one byte.
    public let number: Int
    /// The resource type that it is for.
    public let type: String
    /// Lower-case hexadecimal SHA-256 of the bytes.
    public let sha256: String
    public let bytes: Data
    // Both are only read, by whatever thread, as long as this object lives; a pointer of C is not `Sendable`.
    private let forCompression: UInt
    private let forDecompression: UInt

    /// Of a damaged dictionary zstd makes other texts than were stored, and most of the time says nothing: the bytes are
    /// compared with their digest first.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt`.
    public init(number: Int, type: String, sha256: String, bytes: Data) throws(StorageError) {
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

    /// Passes the dictionary as it compresses.
    func compressing<T>(_ body: (OpaquePointer?) -> T) -> T {
        withExtendedLifetime(self) { body(OpaquePointer(bitPattern: forCompression)) }
    }

    /// Passes the dictionary as it decompresses.
    func decompressing<T>(_ body: (OpaquePointer?) -> T) -> T {
        withExtendedLifetime(self) { body(OpaquePointer(bitPattern: forDecompression)) }
    }

    /// With a dictionary higher levels save one byte in a hundred and take up to five times as long.
    static let level: CInt = 1

    private static let damaged = StorageError(
        code: "storage-corrupt",
        message: "A dictionary of the records' contents is damaged; restore the records from a backup, or the program.")
}
