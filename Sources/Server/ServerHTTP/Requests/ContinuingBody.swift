import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The body of a request whose client waits for `100 (Continue)` before it sends the body (RFC 9110 section 10.1.1).
/// The interim answer is sent when the route begins to read. If a request is refused earlier, it gets its final status
/// at once, and its body is never sent.
struct ContinuingBody: AsyncSequence, Sendable {
    /// The event that makes the connection send the interim answer.
    struct Continue: Sendable {}

    /// Whether the route has begun to read.
    final class Progress: Sendable {
        private let flag = Atomic(false)

        var hasBegun: Bool { flag.load(ordering: .acquiring) }

        /// - Returns: whether this is the first call.
        fileprivate func begin() -> Bool { !flag.exchange(true, ordering: .acquiringAndReleasing) }
    }

    let body: RequestBody
    let channel: any Channel
    let progress: Progress

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), channel: channel, progress: progress)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        let channel: any Channel
        let progress: Progress

        mutating func next() async throws -> ByteBuffer? {
            if progress.begin() { channel.triggerUserOutboundEvent(Continue(), promise: nil) }
            return try await body.next()
        }
    }
}

extension Request {
    /// The expectations of the client, in lowercase (RFC 9110 section 10.1.1).
    var expectations: [String] {
        headers[values: .expect].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
    }
}
