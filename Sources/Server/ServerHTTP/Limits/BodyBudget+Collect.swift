import Foundation
import Hummingbird

extension BodyBudget {
    /// A request's body in memory, with its reservation in the budget.
    package struct CollectedBody: Sendable {
        package let bytes: Data
        /// Must be kept for as long as the bytes are in memory.
        package let reservation: BodyReservation
    }

    /// Reads a request's body within the budget.
    ///
    /// A large body with a known length (RFC 9110 section 8.6) reserves all of it before the first byte is read, so
    /// that the server does not read many bodies halfway. Any other reservation grows with the chunks, so that a length
    /// whose body is never sent holds nothing.
    ///
    /// - Parameter limit: maximum bytes of this body.
    /// - Throws: ``HTTPFailure/serverBusy(retryAfter:)``, ``HTTPFailure/bodyTooLarge``,
    ///   ``HTTPFailure/encodingNotSupported``, errors of the connection.
    package func collect(_ request: Request, upTo limit: Int) async throws -> CollectedBody {
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw HTTPFailure.encodingNotSupported
        }
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        if let declared, declared > limit { throw HTTPFailure.bodyTooLarge }
        let reservation = try reserve(declared.map { $0 > smallBody ? $0 : 0 } ?? 0)
        var buffer = ByteBuffer()
        if let declared { buffer.reserveCapacity(declared) }
        for try await chunk in request.body {
            let count = buffer.readableBytes + chunk.readableBytes
            guard count <= limit else { throw HTTPFailure.bodyTooLarge }
            if count > reservation.bytes { try reservation.grow(by: count - reservation.bytes) }
            buffer.writeImmutableBuffer(chunk)
        }
        return CollectedBody(bytes: Data(buffer.readableBytesView), reservation: reservation)
    }
}
