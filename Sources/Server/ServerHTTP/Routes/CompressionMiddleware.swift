import Foundation
import HTTPTypes
import Hummingbird

/// Sends what is long as gzip to whoever takes that (RFC 9110 section 8.4.1.3), piece by piece.
///
/// Nothing here is read with cookies, so nobody can have a browser ask for answers that hold a secret beside words of their
/// own, and tell it by the lengths.
public struct CompressionMiddleware: RouterMiddleware {
    public typealias Context = ServerRequestContext

    private let root: String

    /// What is shorter is sent as it is.
    static let least = 1_400
    private static let mediaTypes = ["application/fhir+", "application/json"]

    /// - Parameter root: the path at and below which it stands.
    public init(below root: String) { self.root = root }

    public func handle(
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

    /// Whether a client names gzip, and not to say that it takes none.
    static func takesGzip(_ values: [String]) -> Bool {
        AcceptedValue.all(of: values).contains { ["gzip", "x-gzip"].contains($0.name) && $0.weight > 0 }
    }
}

/// Encodes what it is given for another writer.
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
