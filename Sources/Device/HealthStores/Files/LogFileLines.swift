import Core
import DeviceSystem
import Foundation

/// Reads a file of lines in pieces. Only lines with a newline are read, because the last one may be incomplete.
struct LogFileLines {
    /// One line without its newline.
    struct Line {
        /// The offset of its first byte.
        let offset: Int
        /// Its bytes; of a line that is too long only the first ones.
        let bytes: ArraySlice<UInt8>
        /// Whether it is longer than the limit.
        let isTooLong: Bool

        var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    }

    let file: LogFile
    /// Maximum bytes of a line.
    let limit: Int

    private static let pieceLength = 131_072
    /// The number of bytes that are kept of a line that is too long.
    private static let headLength = 4_096

    /// Reads the lines of a part of the file that begins with a line.
    ///
    /// - Parameter body: handles a line; it returns false to stop before the line.
    /// - Returns: the offset after the last line that was handled.
    @discardableResult
    func read(from start: Int, to end: Int, _ body: (Line) throws -> Bool) throws -> Int {
        var buffer: [UInt8] = []
        // The offsets of the buffer's first byte and of the current line; then the used and searched parts of the
        // buffer.
        var (base, lineStart) = (start, start)
        var (used, searched) = (0, 0)
        var head: [UInt8]?
        while true {
            if let newline = Self.newline(in: buffer, from: searched) {
                let bytes = head.map { $0[...] } ?? buffer[used..<newline]
                guard try body(Line(offset: lineStart, bytes: bytes, isTooLong: head != nil)) else { return lineStart }
                (used, searched, head) = (newline + 1, newline + 1, nil)
                lineStart = base + used
                continue
            }
            try Task.checkCancellation()
            if buffer.count - used > limit {
                if head == nil { head = Array(buffer[used..<used + Self.headLength]) }
                used = buffer.count
            }
            buffer.removeFirst(used)
            base += used
            (used, searched) = (0, buffer.count)
            let offset = base + buffer.count
            guard offset < end else { return lineStart }
            let piece = try file.read(from: offset, count: min(Self.pieceLength, end - offset))
            guard !piece.isEmpty else { return lineStart }
            buffer += piece
        }
    }

    private static func newline(in buffer: [UInt8], from start: Int) -> Int? {
        guard start < buffer.count else { return nil }
        return buffer.withUnsafeBufferPointer { bytes in
            UnsafeBufferPointer(rebasing: bytes[start...]).offset(of: 0x0A).map { start + $0 }
        }
    }
}
