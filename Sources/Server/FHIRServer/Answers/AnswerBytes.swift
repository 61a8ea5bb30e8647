import NIOCore
import RecordStorage
import ServerHTTP
import Synchronization

import struct HTTPTypes.HTTPFields
import struct HTTPTypes.HTTPResponse
import struct Hummingbird.Response
import struct Hummingbird.ResponseBody

/// The bytes of a response in pieces. A written piece is freed, and its bytes are returned to the budget.
package final class AnswerBytes: Sendable {
    /// Approximate number of bytes of a piece.
    static let piece = 256 << 10

    /// The number of bytes of all pieces.
    let count: Int
    private let pieces: Mutex<[ByteBuffer]>
    private let reservation: AnswerReservation?

    /// - Parameter pieces: the pieces in their order.
    init(_ pieces: [ByteBuffer], reservation: AnswerReservation?) {
        count = pieces.reduce(0) { $0 + $1.readableBytes }
        // Reversed, because the next piece is removed from the end.
        self.pieces = Mutex(pieces.reversed())
        self.reservation = reservation
        reservation?.shrink(to: count)
    }

    /// Returns a response with these bytes.
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

/// Collects the bytes of a response in pieces.
package struct AnswerWriter {
    private var pieces: [ByteBuffer] = []
    /// The bytes after the last piece.
    private(set) var output: [UInt8] = []

    init() { output.reserveCapacity(AnswerBytes.piece / 4) }

    /// Calls the closure, which appends bytes to its argument.
    mutating func append(_ body: (inout [UInt8]) throws -> Void) rethrows {
        try body(&output)
        guard output.count >= AnswerBytes.piece else { return }
        pieces.append(ByteBuffer(bytes: output))
        output.removeAll(keepingCapacity: output.capacity < 2 * AnswerBytes.piece)
    }

    /// Returns the bytes, with the reservation that holds their part of the budget.
    consuming func finish(_ reservation: AnswerReservation?) -> AnswerBytes {
        var all = pieces
        if !output.isEmpty || all.isEmpty { all.append(ByteBuffer(bytes: output)) }
        // An entry of a Bundle is a part of the Bundle's response, which holds the bytes.
        return AnswerBytes(all, reservation: EntryScope.current == nil ? reservation : nil)
    }
}
