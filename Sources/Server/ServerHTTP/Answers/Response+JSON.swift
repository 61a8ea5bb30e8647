import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// Returns an answer with a value in JSON, its members in alphabetical order, that no cache may store.
    package static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, mediaType: String = "application/json",
        headers: HTTPFields = [:]
    ) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own messages always encode. If one did not, the client would still get the status.
        let bytes = (try? encoder.encode(value)) ?? Data()
        return .bytes(ByteBuffer(bytes: bytes), mediaType: mediaType, status: status, headers: headers)
    }

    /// Returns an answer of bytes.
    ///
    /// - Parameter cacheControl: which caches may store the answer, and for how long (RFC 9111 section 5.2.2).
    package static func bytes(
        _ body: ByteBuffer, mediaType: String, cacheControl: String = "no-store", status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        headers[.cacheControl] = cacheControl
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
