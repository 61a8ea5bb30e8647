import Core
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

    static let pieceLength = 65_536
    /// As much is kept of a line that is too long.
    static let headLength = 4_096

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
        return buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}

extension ArraySlice<UInt8> {
    /// The index behind the first occurrence of bytes, which are looked for by the rarest of them.
    func end(of bytes: [UInt8]) -> Int? {
        guard let sign = bytes.indices.max(by: { Self.rarity(bytes[$0]) < Self.rarity(bytes[$1]) }) else {
            return startIndex
        }
        return withUnsafeBytes { content in
            guard let base = content.baseAddress else { return nil }
            // Where the rarest byte may stand: with what goes before it, and what follows.
            var place = sign
            let last = content.count - bytes.count + sign
            while place <= last {
                guard let found = memchr(base + place, Int32(bytes[sign]), last - place + 1) else { return nil }
                place = UnsafeRawPointer(found) - base
                if memcmp(base + place - sign, bytes, bytes.count) == 0 {
                    return startIndex + place - sign + bytes.count
                }
                place += 1
            }
            return nil
        }
    }

    /// How rare a byte is in texts such as a journal's; a guess that only costs time where it is wrong.
    private static func rarity(_ byte: UInt8) -> Int {
        switch byte {
        case 0x41...0x5A: 4
        case UInt8(ascii: "j"), UInt8(ascii: "q"), UInt8(ascii: "x"), UInt8(ascii: "y"), UInt8(ascii: "z"): 3
        case 0x61...0x7A: 2
        case 0x30...0x39: 1
        default: 0
        }
    }

    func contains(byte: UInt8) -> Bool {
        withUnsafeBytes { content in
            content.baseAddress.map { memchr($0, Int32(byte), content.count) != nil } ?? false
        }
    }
}
