import Core
import Foundation

/// Reads a file of lines in pieces: those alone that have an end, as the last one may not be whole yet.
struct FileLines {
    /// One line without its end.
    struct Line {
        /// Where it begins.
        let place: Int
        /// Its bytes; of one that is too long the first ones.
        let bytes: ArraySlice<UInt8>
        /// Whether it is longer than the limit.
        let isTooLong: Bool

        var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    }

    let file: LogFile
    /// A line has so many bytes at most.
    let limit: Int

    private static let pieceLength = 131_072
    /// As much is kept of a line that is too long.
    private static let headLength = 4_096

    /// Reads the lines of a part of the file that begins with a line.
    ///
    /// - Parameter body: takes a line; false ends the reading before it.
    /// - Returns: the place behind the last line that was taken.
    @discardableResult
    func read(from start: Int, to end: Int, _ body: (Line) throws -> Bool) throws -> Int {
        var buffer: [UInt8] = []
        // The place of the buffer's first byte, of the line that is read, and how far the buffer is searched.
        var (base, lineStart) = (start, start)
        var (used, searched) = (0, 0)
        var head: [UInt8]?
        while true {
            if let newline = Self.newline(in: buffer, from: searched) {
                let bytes = head.map { $0[...] } ?? buffer[used..<newline]
                guard try body(Line(place: lineStart, bytes: bytes, isTooLong: head != nil)) else { return lineStart }
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
            let place = base + buffer.count
            guard place < end else { return lineStart }
            let piece = try file.read(from: place, count: min(Self.pieceLength, end - place))
            guard !piece.isEmpty else { return lineStart }
            buffer += piece
        }
    }

    private static func newline(in buffer: [UInt8], from start: Int) -> Int? {
        guard start < buffer.count else { return nil }
        return buffer.withUnsafeBufferPointer { bytes in
            UnsafeBufferPointer(rebasing: bytes[start...]).place(of: 0x0A).map { start + $0 }
        }
    }
}
