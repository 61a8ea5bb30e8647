import CPQ
import Foundation

/// Values of a statement's placeholders in libpq's form: bytes in binary, everything else as text, whose type the
/// server infers from the context of the placeholder.
struct PostgreSQLParameters {
    /// All values in sequence, each followed by a zero byte.
    private var bytes: [UInt8] = []
    /// Offset of each value; nil for NULL.
    private var starts: [Int?] = []
    private var lengths: [CInt] = []
    private var formats: [CInt] = []

    var count: Int { starts.count }

    /// - Throws: ``StorageError`` `storage-text` for a text with a zero byte.
    init(_ values: [SQLValue]) throws(StorageError) {
        starts.reserveCapacity(values.count)
        for value in values { try append(value) }
    }

    private mutating func append(_ value: SQLValue) throws(StorageError) {
        let start = bytes.count
        switch value {
        case .null:
            starts.append(nil)
            lengths.append(0)
            formats.append(0)
            return
        case .integer(let number): bytes += "\(number)".utf8
        case .real(let number): bytes += "\(number)".utf8
        case .text(let text):
            bytes += text.utf8
            guard !bytes[start...].contains(0) else { throw StorageError.zeroByte }
        case .blob(let data): bytes += data
        }
        starts.append(start)
        lengths.append(CInt(clamping: bytes.count - start))
        if case .blob = value { formats.append(1) } else { formats.append(0) }
        bytes.append(0)
    }

    /// Passes the values, their lengths and their formats (0 text, 1 binary) to `body`.
    func withPointers<T>(
        _ body: (
            UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<CInt>?, UnsafePointer<CInt>?
        ) throws -> T
    ) rethrows -> T {
        try bytes.withUnsafeBufferPointer { buffer in
            let pointers = starts.map { start -> UnsafePointer<CChar>? in
                guard let start, let base = buffer.baseAddress else { return nil }
                return UnsafeRawPointer(base + start).assumingMemoryBound(to: CChar.self)
            }
            return try pointers.withUnsafeBufferPointer { pointers in
                try lengths.withUnsafeBufferPointer { lengths in
                    try formats.withUnsafeBufferPointer { formats in
                        try body(pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
