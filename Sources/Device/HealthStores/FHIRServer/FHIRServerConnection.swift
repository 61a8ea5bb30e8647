import Core
import FHIR
import Foundation
import HealthSync
import Outbox

/// Requests to one FHIR server, with a token that is renewed once if the server rejects it.
struct FHIRServerConnection: Sendable {
    /// Returns the token of requests; nil for none. It is called again with true if the server rejects the last token.
    typealias Token = @Sendable (_ isRenewal: Bool) async throws -> String?

    let base: URL
    let transport: any Transport
    let token: Token
    let clock: @Sendable () -> Date

    /// Maximum bytes of a response body that is parsed.
    static let longestAnswer = 64 << 20
    /// Maximum number of pages of one search.
    static let maximumPages = 100

    /// A response.
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let json: JSON?
        let retryAfter: Double?

        var outcome: HealthOutcome { forbidden ?? HealthOutcome(status: status, retryAfter: retryAfter) }
        var deletion: HealthOutcome { forbidden ?? HealthOutcome(deletionStatus: status, retryAfter: retryAfter) }

        /// 403 concerns the token, not the resource: the resource is deferred until the token allows the write.
        private var forbidden: HealthOutcome? {
            status == 403 ? .deferred(code: FHIRHealthStore.tokenMayNotWrite, retryAfter: retryAfter) : nil
        }
        var isSuccess: Bool { 200..<300 ~= status }

        /// The version of the resource, from `ETag` or `meta.versionId`.
        var version: String? {
            headers["etag"].flatMap { tag in
                let text = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
                return text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
                    ? String(text.dropFirst().dropLast()) : nil
            } ?? json?["meta"]?["versionId"]?.string
        }
    }

    /// Sends a request to a path below the base URL.
    ///
    /// - Throws: errors of the transport and the token; then there is no response.
    func send(
        _ method: String, path: String, body: JSON? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        let separator = base.absoluteString.hasSuffix("/") || path.isEmpty || path.hasPrefix("?") ? "" : "/"
        guard let url = URL(string: base.absoluteString + separator + path) else {
            throw HealthStoreError(.serverInvalid)
        }
        return try await send(method, url: url, body: body, headers: headers)
    }

    private func send(
        _ method: String, url: URL, body: JSON?, headers: [String: String]
    ) async throws -> Answer {
        var request = TransportRequest(method: method, url: url, headers: headers, body: body?.data())
        request.headers["Accept"] = Self.mediaType
        if body != nil { request.headers["Content-Type"] = Self.mediaType }
        var response = try await authorized(request, try await token(false))
        if response.status == 401, let renewed = try await token(true) {
            response = try await authorized(request, renewed)
        }
        let isReadable = response.body.count <= Self.longestAnswer
        return Answer(
            status: response.status, headers: response.headers, json: isReadable ? JSON(reading: response.body) : nil,
            retryAfter: response.retryAfter(now: clock()))
    }

    private func authorized(_ request: TransportRequest, _ token: String?) async throws -> TransportResponse {
        var request = request
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        return try await transport.send(request)
    }

    /// The result of a search: the resources of all pages, or the response that ended it.
    enum Found: Sendable {
        case resources([JSON])
        case failed(Answer)
    }

    /// Searches for resources of a type by identifiers, page by page. Pages are requested from this server only.
    func search(_ type: String, _ tokens: [FHIRIdentity.Token]) async throws -> Found {
        let query = "identifier=" + tokens.map(\.text).joined(separator: ",")
        var answer = try await send("GET", path: "\(type)?\(query)&_count=100")
        var resources: [JSON] = []
        for _ in 0..<Self.maximumPages {
            guard answer.isSuccess, let bundle = answer.json, bundle["resourceType"]?.string == "Bundle" else {
                return .failed(answer)
            }
            resources += (bundle["entry"]?.array ?? []).compactMap { $0["resource"] }.filter {
                $0["resourceType"]?.string == type
            }
            let next = bundle["link"]?.array?.first { $0["relation"]?.string == "next" }?["url"]?.string
            guard let next else { return .resources(resources) }
            guard let url = onServer(next) else { return .failed(answer) }
            answer = try await send("GET", url: url, body: nil, headers: [:])
        }
        return .failed(answer)
    }

    /// Returns the URL of a page with the scheme, host and port of the base URL. A server that is reached through a
    /// proxy under another name is still reached, and the token is sent to no other host.
    private func onServer(_ link: String) -> URL? {
        guard let url = URL(string: link, relativeTo: base)?.absoluteURL,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        (parts.scheme, parts.host, parts.port) = (base.scheme, base.host, base.port)
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        return parts.url
    }

    private static let mediaType = "application/fhir+json"
}
