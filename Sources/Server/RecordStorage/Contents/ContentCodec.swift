import CZstd
import Foundation
import Storage

/// The storage format of contents: frames of zstd (RFC 8878), compressed with the dictionary of their type, or the
/// unchanged bytes where these are shorter. The first bytes distinguish them: unchanged content never begins like a
/// frame.
///
/// Content that older versions of the program stored begins with JSON, and is read unchanged.
package enum ContentCodec {
    /// Maximum length of a compressed content. Larger contents are stored unchanged, and no frame is decompressed to
    /// more.
    package static let largest = 256 << 20
    /// Minimum length of a compressed content: below it, a frame's header is longer than what it saves.
    private static let smallest = 32
    private static let frame: UInt32 = 0xFD2F_B528
    /// The mark of a skippable frame of zstd; the unchanged content follows the length.
    private static let passedOver: UInt32 = 0x184D_2A50
    private static let passedOverHead = 8

    /// Returns the first four bytes as a little-endian number; nil where there are fewer.
    private static func mark(of bytes: Data) -> UInt32? {
        bytes.withUnsafeBytes { $0.count >= 4 ? UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) : nil }
    }

    /// Returns the bytes to store for a content.
    package static func stored(_ content: Data, type: String) -> Data {
        guard (smallest...largest).contains(content.count) else { return asItIs(content) }
        let made = ContentContexts.compressing { context in
            compressed(content, dictionary: ContentDictionaries.newest(for: type), in: context)
        }
        guard let made, made.count < content.count else { return asItIs(content) }
        return made
    }

    /// Returns the content of stored bytes.
    ///
    /// - Parameter dictionary: returns the dictionary with a number.
    /// - Throws: ``StorageError`` `storage-corrupt` where the bytes are damaged. It never returns other bytes than were
    ///   stored.
    package static func content(
        _ stored: Data, dictionary: (Int) throws -> ContentDictionary?
    ) throws -> Data {
        let mark = mark(of: stored)
        if mark == passedOver {
            let length = try length(of: stored)
            return Data(stored.dropFirst(passedOverHead).prefix(length))
        }
        guard mark == frame else {
            guard !resemblesHead(stored) else { throw damaged }
            return stored
        }
        let length = try length(of: stored)
        let number = stored.withUnsafeBytes { ZSTD_getDictID_fromFrame($0.baseAddress, $0.count) }
        var used: ContentDictionary?
        if number != 0 {
            used = try dictionary(Int(number))
            guard used != nil else { throw damaged }
        }
        guard
            let content = ContentContexts.decompressing({
                decompressed(stored, length: length, dictionary: used, in: $0)
            })
        else { throw damaged }
        return content
    }

    /// Returns the content of stored bytes, with the dictionaries of a store.
    ///
    /// - Throws: the errors of ``content(_:dictionary:)``.
    package static func content(_ stored: Data, in transaction: any SQLTransaction) throws -> Data {
        try content(stored) { number in
            // The program's dictionaries were checked once. A store's own dictionary is read and checked each time.
            try ContentDictionaries.numbered(number) ?? ContentDictionaries.stored(number, in: transaction)
        }
    }

    /// Returns the length of the content, from the head of the stored bytes.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt` where the length is impossible.
    package static func length(of stored: Data) throws(StorageError) -> Int {
        try length(ofHead: stored, storedCount: stored.count)
    }

    /// Returns the length of the content, from the first bytes and the number of the stored bytes.
    package static func length(ofHead head: Data, storedCount: Int) throws(StorageError) -> Int {
        let mark = mark(of: head)
        if mark == passedOver {
            guard head.count >= passedOverHead else { throw damaged }
            let length = head.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length == storedCount - passedOverHead else { throw damaged }
            return length
        }
        guard mark == frame else { return storedCount }
        let length = head.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // A block of four bytes represents up to 128 kB. A head with a larger length is damaged, and no memory is
        // allocated for it.
        guard length != ZSTD_CONTENTSIZE_UNKNOWN, length != ZSTD_CONTENTSIZE_ERROR, length <= UInt64(largest),
            length <= UInt64(storedCount) << 15
        else { throw damaged }
        return Int(length)
    }

    /// Number of first bytes that contain the length.
    package static let headCount = 18

    /// Whether bytes begin like a frame, perhaps a damaged one. Unchanged content never does.
    private static func resemblesHead(_ bytes: Data) -> Bool {
        [frame, passedOver].contains { mark in
            zip(bytes, Self.bytes(of: mark)).count { $0 == $1 } > 1
        }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func asItIs(_ content: Data) -> Data {
        guard resemblesHead(content) else { return content }
        let length = UInt32(truncatingIfNeeded: content.count)
        return Data(bytes(of: passedOver) + bytes(of: length)) + content
    }

    private static func compressed(
        _ content: Data, dictionary: ContentDictionary?, in context: OpaquePointer
    ) -> Data? {
        // A result that is longer than the content is not used.
        var made = Data(count: content.count)
        let count = made.withUnsafeMutableBytes { target in
            content.withUnsafeBytes { source in
                func run(_ dictionary: OpaquePointer?) -> Int {
                    // After a content that was too long for its target, the context is in the middle of a frame and
                    // accepts no other dictionary.
                    ZSTD_CCtx_reset(context, ZSTD_reset_session_only)
                    let taken = ZSTD_CCtx_refCDict(context, dictionary)
                    guard ZSTD_isError(taken) == 0 else { return taken }
                    return ZSTD_compress2(
                        context, target.baseAddress, target.count, source.baseAddress, source.count)
                }
                return dictionary?.compressing(run) ?? run(nil)
            }
        }
        guard ZSTD_isError(count) == 0 else { return nil }
        return Data(made.prefix(count))
    }

    private static func decompressed(
        _ stored: Data, length: Int, dictionary: ContentDictionary?, in context: OpaquePointer
    ) -> Data? {
        var content = Data(count: length)
        let isWhole = content.withUnsafeMutableBytes { target in
            stored.withUnsafeBytes { source in
                // No bytes may follow the frame.
                guard ZSTD_findFrameCompressedSize(source.baseAddress, source.count) == source.count else {
                    return false
                }
                func run(_ dictionary: OpaquePointer?) -> Bool {
                    ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
                    return ZSTD_isError(ZSTD_DCtx_refDDict(context, dictionary)) == 0
                        && ZSTD_decompressDCtx(
                            context, target.baseAddress, target.count, source.baseAddress, source.count) == length
                }
                return dictionary?.decompressing(run) ?? run(nil)
            }
        }
        return isWhole ? content : nil
    }

    private static let damaged = StorageError(
        code: "storage-corrupt",
        message: "The content of a record is damaged; restore the records from a backup.")
}
