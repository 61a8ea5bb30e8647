import CZstd
import Foundation
import Synchronization

/// Pools of zstd's contexts. Creating a context costs more than compressing a resource.
enum ContentContexts {
    /// The addresses of the unused contexts; a pointer of C is not `Sendable`.
    private static let freeCompressing = Mutex<[UInt]>([])
    private static let freeDecompressing = Mutex<[UInt]>([])
    /// Maximum number of unused contexts in a pool. No more threads work at a time.
    private static let maximumUnused = 16

    /// Calls the closure with a compression context; nil where there is no memory for one.
    static func compressing<T>(_ body: (OpaquePointer) -> T?) -> T? {
        guard let context = take(from: freeCompressing) ?? make() else { return nil }
        defer { if !give(context, to: freeCompressing) { ZSTD_freeCCtx(context) } }
        return body(context)
    }

    /// Calls the closure with a decompression context; nil where there is no memory for one.
    static func decompressing<T>(_ body: (OpaquePointer) -> T?) -> T? {
        guard let context = take(from: freeDecompressing) ?? ZSTD_createDCtx() else { return nil }
        defer { if !give(context, to: freeDecompressing) { ZSTD_freeDCtx(context) } }
        return body(context)
    }

    private static func make() -> OpaquePointer? {
        guard let context = ZSTD_createCCtx() else { return nil }
        // A checksum of four bytes detects a damaged frame, and a frame that was read with another dictionary.
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
            guard waiting.count < maximumUnused else { return false }
            waiting.append(address)
            return true
        }
    }
}
