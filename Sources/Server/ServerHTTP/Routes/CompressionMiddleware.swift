import Foundation
import HTTPTypes
import Hummingbird

/// Compresses long answers with gzip, chunk by chunk, if the client accepts it (RFC 9110 section 8.4.1.3).
///
/// The length of a compressed answer cannot leak a secret: no answer here depends on cookies, so another site cannot
/// make a browser request answers that combine a secret with text of its choice.
package struct CompressionMiddleware: RouterMiddleware {
    package typealias Context = ServerRequestContext

    private let root: String

    /// Minimum length of an answer that is compressed, in bytes.
    static let least = 1_400
    private static let mediaTypes = ["application/fhir+", "application/json"]

    /// - Parameter root: the path at and below which answers are compressed.
    package init(below root: String) { self.root = root }

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.isAtOrBelow(root), request.method != .head,
            response.body.contentLength.map({ $0 >= Self.least }) ?? true,
            response.headers[.contentEncoding] == nil,
            let type = response.headers[.contentType], Self.mediaTypes.contains(where: type.hasPrefix)
        else { return response }
        response.vary(by: "Accept-Encoding")
        guard Self.takesGzip(request.headers[values: .acceptEncoding]) else { return response }
        response.headers[.contentEncoding] = "gzip"
        response.headers[.contentLength] = nil
        let body = response.body
        response.body = ResponseBody { writer in
            guard let encoder = GzipEncoder() else { throw HTTPError(.internalServerError) }
            try await body.write(GzipWriter(writer: writer, encoder: encoder))
        }
        return response
    }

    /// Whether a client accepts gzip with a weight above 0.
    static func takesGzip(_ values: [String]) -> Bool {
        AcceptedValue.all(of: values).contains { ["gzip", "x-gzip"].contains($0.name) && $0.weight > 0 }
    }
}

/// A body writer that encodes its input for another writer.
private struct GzipWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let encoder: GzipEncoder

    mutating func write(_ buffer: ByteBuffer) async throws {
        let made = encoder.encode(buffer)
        if made.readableBytes > 0 { try await writer.write(made) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.write(encoder.finish())
        try await writer.finish(trailingHeaders)
    }
}
