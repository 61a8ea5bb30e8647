import Foundation

/// One HTTP request.
public struct TransportRequest: Sendable, Hashable {
    /// The method, such as `POST`.
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// The header fields.
    public var headers: [String: String]
    /// The body; `nil` for none.
    public var body: Data?

    /// Creates a request.
    public init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One HTTP response.
public struct TransportResponse: Sendable, Hashable {
    /// The status.
    public var status: Int
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// Creates a response; the names of the headers may be in any case.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(
            headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        self.body = body
    }
}

/// A transport of requests. It returns every response, whatever its status, and throws any error if there is none.
///
/// ```swift
/// struct CountedTransport: Transport {
///     let inner = URLSessionTransport()
///     let counter: Counter
///
///     func send(_ request: TransportRequest) async throws -> TransportResponse {
///         await counter.count(request.url)
///         return try await inner.send(request)
///     }
/// }
/// ```
/// ``URLSessionTransport`` throws ``TransportError``. Callers treat any other error, except for a `CancellationError`,
/// like `connection-failed`.
public protocol Transport: Sendable {
    /// Sends a request and returns the response.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
