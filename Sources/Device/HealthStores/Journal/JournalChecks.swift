import Core
import Crypto
import DeviceSystem
import Foundation

/// Digests that detect changes of a journal before an offset. Each is computed from the previous one and the next piece
/// of the file. They are kept at 32 bytes a piece, so that a check reads only one piece.
struct JournalChecks: Sendable {
    private var pieces: [[UInt8]] = [Array(SHA256.hash(data: Data()))]
    /// All anchors depend on this length, so it must not change.
    private static let pieceLength = 65_536

    /// Returns the digest of everything before an offset, in 32 hexadecimal digits. The beginning of the file is read
    /// once.
    mutating func check(_ file: LogFile, at offset: Int) throws -> String {
        while pieces.count <= offset / Self.pieceLength {
            try Task.checkCancellation()
            let start = (pieces.count - 1) * Self.pieceLength
            pieces.append(try Self.next(pieces[pieces.count - 1], in: file, from: start, count: Self.pieceLength))
        }
        let piece = offset / Self.pieceLength
        let start = piece * Self.pieceLength
        return Hexadecimal.text(try Self.next(pieces[piece], in: file, from: start, count: offset - start).prefix(16))
    }

    private static func next(
        _ before: [UInt8], in file: LogFile, from start: Int, count: Int
    ) throws -> [UInt8] {
        var digest = SHA256()
        digest.update(data: before)
        digest.update(data: try file.read(from: start, count: count))
        return Array(digest.finalize())
    }
}
