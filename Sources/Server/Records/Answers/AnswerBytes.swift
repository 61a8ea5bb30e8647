import NIOCore
import ServerHTTP
import Synchronization

import struct HTTPTypes.HTTPFields
import struct HTTPTypes.HTTPResponse
import struct Hummingbird.Response
import struct Hummingbird.ResponseBody

/// The bytes of an answer in pieces. A piece that is written is freed, and its bytes are given back to the budget.
final class AnswerBytes: Sendable {
    /// About the bytes of a piece.
    static let piece = 256 << 10

    /// The bytes of all pieces.
    let count: Int
    private let pieces: Mutex<[ByteBuffer]>
    private let reservation: AnswerReservation?

    /// - Parameter pieces: in their order.
    init(_ pieces: [ByteBuffer], reservation: AnswerReservation?) {
        count = pieces.reduce(0) { $0 + $1.readableBytes }
        // The last is taken first.
        self.pieces = Mutex(pieces.reversed())
        self.reservation = reservation
        reservation?.shrink(to: count)
    }

    /// An answer of these bytes.
    @inline(never)
    func response(mediaType: String, status: HTTPResponse.Status = .ok) -> Response {
        guard pieces.withLock({ $0.count }) > 1 else {
            let only = pieces.withLock { $0.popLast() } ?? ByteBuffer()
            guard only.readableBytes > Self.piece else {
                return .bytes(only, mediaType: mediaType, status: status)
            }
            pieces.withLock { $0 = [only] }
            return streamed(mediaType, status)
        }
        return streamed(mediaType, status)
    }

    @inline(never)
    private func next() -> ByteBuffer? { pieces.withLock { $0.popLast() } }

    private func streamed(_ mediaType: String, _ status: HTTPResponse.Status) -> Response {
        var response = Response.bytes(ByteBuffer(), mediaType: mediaType, status: status)
        response.body = ResponseBody(contentLength: count) { writer in
            var left = self.count
            while let piece = self.next() {
                left -= piece.readableBytes
                try await writer.write(piece)
                self.reservation?.shrink(to: left)
            }
            try await writer.finish(nil)
        }
        return response
    }
}

/// Collects the bytes of an answer in pieces.
struct AnswerWriter {
    private var pieces: [ByteBuffer] = []
    /// What follows the pieces.
    private(set) var output: [UInt8] = []

    init() { output.reserveCapacity(AnswerBytes.piece / 4) }

    /// Appends what `body` appends to its argument.
    mutating func append(_ body: (inout [UInt8]) throws -> Void) rethrows {
        try body(&output)
        guard output.count >= AnswerBytes.piece else { return }
        pieces.append(ByteBuffer(bytes: output))
        output.removeAll(keepingCapacity: output.capacity < 2 * AnswerBytes.piece)
    }

    /// The bytes, with what holds their part of the budget.
    consuming func finish(_ reservation: AnswerReservation?) -> AnswerBytes {
        var all = pieces
        if !output.isEmpty || all.isEmpty { all.append(ByteBuffer(bytes: output)) }
        // An entry of a Bundle is a part of the Bundle's answer, which holds the bytes.
        return AnswerBytes(all, reservation: EntryScope.current == nil ? reservation : nil)
    }
}
