import Foundation

/// One HTTP request.
public struct TransportRequest: Sendable, Hashable {
    /// The method, such as `POST`.
    public var method: String
    /// The absolute address.
    public var url: URL
    /// The header fields.
    public var headers: [String: String]
    /// The body; `nil` for none.
    public var body: Data?

    /// Makes a request.
    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One HTTP answer.
public struct TransportResponse: Sendable, Hashable {
    /// The status.
    public var status: Int
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// Makes an answer; the names of the headers may be in any case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(
            headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }
}

/// Sends one request. Every answer, whatever its status, is returned; where none came any error is thrown, and who asked
/// learns of ``OutboxError`` `connection-failed`, unless it is an ``OutboxError`` or a `CancellationError` itself.
public protocol Transport: Sendable {
    /// Sends a request and returns the answer.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
