import CZstd
import Foundation
import Synchronization

/// zstd's working memory, which is used again: to make it costs more than to compress a resource.
enum ContentContexts {
    /// The addresses of what nobody uses; a pointer of C is not `Sendable`.
    private static let freeCompressing = Mutex<[UInt]>([])
    private static let freeDecompressing = Mutex<[UInt]>([])
    /// So many wait at most for their next use: there are no more threads that work at a time.
    private static let most = 16

    /// Passes what compresses; nil where there is no memory for it.
    static func compressing<T>(_ body: (OpaquePointer) -> T?) -> T? {
        guard let context = take(from: freeCompressing) ?? make() else { return nil }
        defer { if !give(context, to: freeCompressing) { ZSTD_freeCCtx(context) } }
        return body(context)
    }

    /// Passes what decompresses; nil where there is no memory for it.
    static func decompressing<T>(_ body: (OpaquePointer) -> T?) -> T? {
        guard let context = take(from: freeDecompressing) ?? ZSTD_createDCtx() else { return nil }
        defer { if !give(context, to: freeDecompressing) { ZSTD_freeDCtx(context) } }
        return body(context)
    }

    private static func make() -> OpaquePointer? {
        guard let context = ZSTD_createCCtx() else { return nil }
        // Four bytes that tell a damaged frame, and a frame that was read with another dictionary.
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ContentDictionary.level)
        return context
    }

    private static func take(from free: borrowing Mutex<[UInt]>) -> OpaquePointer? {
        free.withLock { $0.popLast() }.flatMap { OpaquePointer(bitPattern: $0) }
    }

    private static func give(_ context: OpaquePointer, to free: borrowing Mutex<[UInt]>) -> Bool {
        let address = UInt(bitPattern: context)
        return free.withLock { waiting in
            guard waiting.count < most else { return false }
            waiting.append(address)
            return true
        }
    }
}
