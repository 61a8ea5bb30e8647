import CZstd
import Foundation
import Storage

/// How contents are stored: as frames of zstd (RFC 8878), compressed with the dictionary of their type, or as they are
/// where that is shorter. The first bytes tell which: no content that is stored as it is begins like a frame.
///
/// What older versions of the program stored begins with JSON, and is read as it is.
enum ContentCodec {
    /// Larger contents are stored as they are, and nothing larger is ever made of a frame.
    static let largest = 256 << 20
    /// Below this even the frame's head is longer than what it saves.
    private static let smallest = 32
    private static let frame: UInt32 = 0xFD2F_B528
    /// A frame that zstd passes over; its content follows the length as it is.
    private static let passedOver: UInt32 = 0x184D_2A50
    private static let passedOverHead = 8

    /// The first four bytes, least significant first; nil where there are fewer.
    private static func mark(of bytes: Data) -> UInt32? {
        bytes.withUnsafeBytes { $0.count >= 4 ? UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) : nil }
    }

    /// The bytes that are stored for a content.
    static func stored(_ content: Data, type: String) -> Data {
        guard (smallest...largest).contains(content.count) else { return asItIs(content) }
        let made = ContentContexts.compressing { context in
            compressed(content, ContentDictionaries.newest(for: type), context)
        }
        guard let made, made.count < content.count else { return asItIs(content) }
        return made
    }

    /// The content that bytes were stored for.
    ///
    /// - Parameter dictionary: gives the dictionary of a number.
    /// - Throws: ``StorageError`` `storage-corrupt`; never other bytes than were stored.
    static func content(
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
        guard let content = ContentContexts.decompressing({ decompressed(stored, length, used, $0) }) else {
            throw damaged
        }
        return content
    }

    /// The content that bytes of a store were stored for.
    ///
    /// - Throws: as ``content(_:dictionary:)`` does.
    static func content(_ stored: Data, in transaction: any SQLTransaction) throws -> Data {
        try content(stored) { number in
            // Those of the program were checked once; a store's own are read and checked each time.
            try ContentDictionaries.numbered(number) ?? ContentDictionaries.stored(number, in: transaction)
        }
    }

    /// The length of the content, by the head of what is stored.
    ///
    /// - Throws: ``StorageError`` `storage-corrupt` where that cannot be.
    private static func length(of stored: Data) throws(StorageError) -> Int {
        try length(ofHead: stored, storedCount: stored.count)
    }

    /// The length of a content, by the first bytes of what is stored and its length.
    static func length(ofHead head: Data, storedCount: Int) throws(StorageError) -> Int {
        let mark = mark(of: head)
        if mark == passedOver {
            guard head.count >= passedOverHead else { throw damaged }
            let length = head.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard length == storedCount - passedOverHead else { throw damaged }
            return length
        }
        guard mark == frame else { return storedCount }
        let length = head.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        // A block says at most 128 kB in four bytes: a head that tells of more is damaged, and nothing is kept free for it.
        guard length != ZSTD_CONTENTSIZE_UNKNOWN, length != ZSTD_CONTENTSIZE_ERROR, length <= UInt64(largest),
            length <= UInt64(storedCount) << 15
        else { throw damaged }
        return Int(length)
    }

    /// So many first bytes tell the length.
    static let headCount = 18

    /// Whether bytes begin like a frame, perhaps a damaged one: nothing that is stored as it is does.
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
        _ content: Data, _ dictionary: ContentDictionary?, _ context: OpaquePointer
    ) -> Data? {
        // Longer than the content is of no use.
        var made = Data(count: content.count)
        let count = made.withUnsafeMutableBytes { target in
            content.withUnsafeBytes { source in
                func run(_ dictionary: OpaquePointer?) -> Int {
                    // What was too long for its target left the context in the middle of a frame, where it takes no other
                    // dictionary.
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
        _ stored: Data, _ length: Int, _ dictionary: ContentDictionary?, _ context: OpaquePointer
    ) -> Data? {
        var content = Data(count: length)
        let isWhole = content.withUnsafeMutableBytes { target in
            stored.withUnsafeBytes { source in
                // Nothing may stand behind the frame.
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
