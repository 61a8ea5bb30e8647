/// An append-only log of frames, each of which becomes durable as a whole.
///
/// A frame that is incomplete because the process ended was never acknowledged, and the next frame overwrites it.
/// ```
/// heading (length: 4 bytes, its complement: 4, checksum: 8, content)*
/// ```
package struct FramedLog: Sendable {
    /// A frame before the last one is damaged, or the file has another heading.
    package struct Damage: Error {}

    private static let headLength = 16
    private static let pieceLength = 65_536

    private let file: any GrowingFile
    private let heading: [UInt8]
    /// The end of the last complete frame; 0 for an empty file.
    package private(set) var end = 0

    /// Opens a log and reads its frames. An empty file is an empty log.
    ///
    /// - Parameters:
    ///   - heading: the first bytes of the file, which name its kind.
    ///   - take: receives the content of each frame; it returns false for content that it cannot read.
    /// - Throws: ``Damage``; any error of the file.
    package init(_ file: any GrowingFile, heading: String, _ take: (ArraySlice<UInt8>) -> Bool) throws {
        self.file = file
        self.heading = Array(heading.utf8)
        let size = try file.size()
        let start = try file.read(from: 0, count: self.heading.count)
        guard start.elementsEqual(self.heading.prefix(start.count)) else { throw Damage() }
        guard start.count == self.heading.count else { return }
        end = try scan(to: size, take)
    }

    /// Appends frames in one write. When this returns, all of them are durable; after an error the log is as before.
    package mutating func append(_ contents: [[UInt8]]) throws {
        guard !contents.isEmpty else { return }
        let bytes = Self.bytes(of: contents, after: end == 0 ? heading : [])
        try file.write(bytes, at: end)
        end += bytes.count
    }

    /// The bytes of a file with this heading and these frames.
    package static func file(heading: String, _ contents: [[UInt8]]) -> [UInt8] {
        bytes(of: contents, after: Array(heading.utf8))
    }

    /// Reads all frames again.
    package func scan(_ take: (ArraySlice<UInt8>) -> Bool) throws {
        guard end > 0 else { return }
        _ = try scan(to: end, take)
    }

    private static func bytes(of contents: [[UInt8]], after start: [UInt8]) -> [UInt8] {
        var bytes = start
        bytes.reserveCapacity(start.count + contents.reduce(0) { $0 + headLength + $1.count })
        for content in contents {
            let length = UInt32(content.count)
            withUnsafeBytes(of: length.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: (~length).littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: checksum(content[...]).littleEndian) { bytes.append(contentsOf: $0) }
            bytes += content
        }
        return bytes
    }

    /// Reads all frames in pieces, and returns the end of the last complete one.
    private func scan(to size: Int, _ take: (ArraySlice<UInt8>) -> Bool) throws -> Int {
        var offset = heading.count
        var buffer: [UInt8] = []
        var used = 0
        while offset + used < size || used < buffer.count {
            // 1. The head of a frame, then the frame. More is read if the piece ends inside of it.
            guard let needed = Self.length(in: buffer[used...]) else { throw Damage() }
            guard needed > 0 else { break }
            if buffer.count - used < needed {
                // The rest of the file is too short for the frame.
                guard offset + used + needed <= size else { break }
                buffer.removeFirst(used)
                offset += used
                used = 0
                let count = max(Self.pieceLength, needed - buffer.count)
                let piece = try file.read(
                    from: offset + buffer.count, count: min(count, size - offset - buffer.count))
                guard !piece.isEmpty else { break }
                buffer += piece
                continue
            }
            // 2. A damaged frame at the end is an incomplete write; a damaged frame before the end is an error.
            let frame = buffer[used..<used + needed]
            let content = frame.dropFirst(Self.headLength)
            guard Self.checksum(content) == Self.number(frame.dropFirst(8).prefix(8)), take(content) else {
                guard offset + used + needed >= size else { throw Damage() }
                break
            }
            used += needed
        }
        return offset + used
    }

    /// Returns the length of the frame that begins here, or of its head if the head is incomplete; 0 for zeros, which a
    /// disk leaves after an incomplete write; nil for a damaged head.
    private static func length(in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= headLength else { return headLength }
        let (length, opposite) = (number(bytes.prefix(4)), number(bytes.dropFirst(4).prefix(4)))
        if length ^ opposite == 0xFFFF_FFFF { return headLength + Int(length) }
        return bytes.prefix(headLength).allSatisfy { $0 == 0 } ? 0 : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for byte in bytes.reversed() { number = number << 8 | UInt64(byte) }
        return number
    }

    /// FNV-1a (<http://www.isthe.com/chongo/tech/comp/fnv/>). It detects truncation by a crash and lost data, not
    /// forgery.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            var sum: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return sum
        }
    }
}
