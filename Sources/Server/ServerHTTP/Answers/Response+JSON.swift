import Foundation
import HTTPTypes
import Hummingbird

extension Response {
    /// An answer that is a value in JSON with its members in alphabetical order, and that nobody keeps.
    public static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, mediaType: String = "application/json",
        headers: HTTPFields = [:]
    ) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Our own messages always encode; were one not to, the status alone would tell.
        let bytes = (try? encoder.encode(value)) ?? Data()
        return .bytes(ByteBuffer(bytes: bytes), mediaType: mediaType, status: status, headers: headers)
    }

    /// An answer of bytes.
    ///
    /// - Parameter cacheControl: who may keep it and for how long (RFC 9111 section 5.2.2).
    public static func bytes(
        _ body: ByteBuffer, mediaType: String, cacheControl: String = "no-store", status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = mediaType
        headers[.cacheControl] = cacheControl
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
