import Core
import FHIR
import Foundation

/// A connection to one FHIR R4 server: reads, searches and writes typed resources.
///
/// ```swift
/// let server = FHIRConnection(url) { isRenewal in try await session.token(isNew: isRenewal) }
/// let patient = try await server.read(Patient.self, id: "p1")
/// for try await reading in server.search(Observation.self, ["patient": "p1", "code": "8867-4"]) {
///     print(reading.effective?.json.text() ?? "")
/// }
/// ```
/// Requests go to the scheme, host and port of ``base`` only, and to plain HTTP only on this machine. The connection
/// has no state, so several tasks may use it concurrently. It repeats a request only after a 401, once, with a new
/// token: a later attempt is the decision of the app (``FHIRClientError/retryAfter``).
///
/// <https://hl7.org/fhir/R4/http.html>
public struct FHIRConnection: Sendable {
    /// Returns the bearer token of requests; nil for none. It is called again with true if the server rejects the last
    /// token.
    public typealias Token = @Sendable (_ isRenewal: Bool) async throws -> String?

    /// The base URL of the server.
    public let base: URL
    /// The limits of answers.
    public let limits: FHIRClientLimits
    private let transport: any Transport
    private let token: Token
    private let clock: @Sendable () -> Date

    /// Creates a connection. It sends nothing yet.
    ///
    /// ```swift
    /// let server = FHIRConnection(url)
    /// ```
    /// - Parameters:
    ///   - base: the base URL of the server: https, or http to this machine.
    ///   - transport: sends the requests.
    ///   - limits: the maximum size of an answer, and of a search.
    ///   - token: see ``Token``.
    ///   - clock: returns the current time, for a `Retry-After` with a date.
    public init(
        _ base: URL, transport: any Transport = URLSessionTransport(), limits: FHIRClientLimits = FHIRClientLimits(),
        token: @escaping Token = { _ in nil }, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.transport = transport
        self.limits = limits
        self.clock = clock
        self.token = token
    }

    /// Sends a request to a path below the base URL, for interactions without a call of their own. Every response is
    /// returned, whatever its status.
    ///
    /// ```swift
    /// let answer = try await server.send("GET", path: "Patient/p1/$everything")
    /// let bundle = try answer.resource(FHIR.Bundle.self)
    /// ```
    /// - Parameters:
    ///   - path: the path and the query, percent-encoded; empty for the base URL.
    ///   - body: the JSON to send.
    ///   - headers: further header fields.
    /// - Throws: ``FHIRClientError`` `url-invalid`; errors of the transport and the token. Then there is no response.
    public func send(
        _ method: String, path: String, body: JSON? = nil, headers: [String: String] = [:]
    ) async throws -> FHIRResponse {
        let separator = base.absoluteString.hasSuffix("/") || path.isEmpty || path.hasPrefix("?") ? "" : "/"
        guard isAllowed, let url = URL(string: base.absoluteString + separator + path) else {
            throw FHIRClientError(.urlInvalid)
        }
        var request = TransportRequest(method: method, url: url, headers: headers, body: body?.data())
        if body != nil { request.headers["Content-Type"] = Self.mediaType }
        return try await send(request)
    }

    /// Sends a request of a page to this server.
    func send(pageAt url: URL) async throws -> FHIRResponse {
        guard isAllowed else { throw FHIRClientError(.urlInvalid) }
        return try await send(TransportRequest(method: "GET", url: url))
    }

    private func send(_ request: TransportRequest) async throws -> FHIRResponse {
        var request = request
        request.headers["Accept"] = Self.mediaType
        var response = try await authorized(request, try await token(false))
        if response.status == 401, let renewed = try await token(true) {
            response = try await authorized(request, renewed)
        }
        return FHIRResponse(response, limits: limits, now: clock())
    }

    private func authorized(_ request: TransportRequest, _ token: String?) async throws -> TransportResponse {
        var request = request
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        return try await transport.send(request)
    }

    /// Whether the base URL is one of a server, and a token to it crosses no network unencrypted.
    private var isAllowed: Bool {
        guard let host = base.host(percentEncoded: false), !host.isEmpty, base.query == nil, base.fragment == nil else {
            return false
        }
        switch base.scheme?.lowercased() {
        case "https": return true
        case "http": return LoopbackHost.matches(host)
        default: return false
        }
    }

    /// Returns the URL of a link with the scheme, host and port of the base URL. A server that is reached through a
    /// proxy under another name is still reached, and the token is sent to no other host.
    func onServer(_ link: String) -> URL? {
        guard let url = URL(string: link, relativeTo: base)?.absoluteURL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        (parts.scheme, parts.host, parts.port) = (base.scheme, base.host, base.port)
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        return parts.url
    }

    private static let mediaType = "application/fhir+json"
}

/// The limits within which a connection reads answers.
///
/// ```swift
/// let server = FHIRConnection(url, limits: FHIRClientLimits(answerBytes: 1 << 20, pages: 10))
/// ```
public struct FHIRClientLimits: Sendable, Hashable {
    /// Maximum bytes of an answer that is parsed.
    public var answerBytes: Int
    /// Maximum number of pages of one search.
    public var pages: Int

    /// Creates limits. The defaults are 64 MiB for each answer, and 100 pages for each search.
    ///
    /// ```swift
    /// let limits = FHIRClientLimits(pages: 10)
    /// ```
    public init(answerBytes: Int = 64 << 20, pages: Int = 100) {
        self.answerBytes = answerBytes
        self.pages = pages
    }
}
