import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import ServerHTTP

/// Which requests may use version 1 of the signatures.
@Suite(.timeLimit(.minutes(10)))
struct ConfidentialConnectionTests {
    /// Sets the peer of a request.
    private struct PeerResponder<Inner: HTTPResponder>: HTTPResponder where Inner.Context == ServerRequestContext {
        let peer: String
        let inner: Inner

        func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
            var context = context
            context.client = ClientAddress(IPAddress(peer))
            return try await inner.respond(to: request, context: context)
        }
    }

    /// Answers with whether the request is confidential.
    private struct Answering: HTTPResponder {
        func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
            Response(status: context.isConfidential ? .ok : .forbidden)
        }
    }

    private func isConfidential(
        peer: String, tls: Bool = false, proxies: [String] = [], headers: HTTPFields = [:]
    ) async throws -> Bool {
        let serving = ServingResponder(
            router: Answering(), trustedProxies: try proxies.map { try IPNetwork($0) }, isSecure: tls,
            shutdown: ShutdownState(), metrics: nil, logLevel: .info)
        let application = Application(
            responder: PeerResponder(peer: peer, inner: serving),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await application.test(.router) { client in
            try await client.execute(uri: "/", method: .get, headers: headers) { $0.status == .ok }
        }
    }

    @Test func tlsAndThisMachineAreConfidential() async throws {
        #expect(try await isConfidential(peer: "192.0.2.7", tls: true))
        #expect(try await isConfidential(peer: "127.0.0.1"))
        #expect(try await isConfidential(peer: "::1"))
        #expect(try await !isConfidential(peer: "192.0.2.7"))
    }

    @Test func aTrustedProxyReportsTLS() async throws {
        let (address, scheme) = (HTTPField.Name.forwardedFor, HTTPField.Name.forwardedProto)
        let https: HTTPFields = [address: "198.51.100.1", scheme: "https"]
        let http: HTTPFields = [address: "198.51.100.1", scheme: "http"]
        let none: HTTPFields = [address: "198.51.100.1"]
        for proxy in ["10.0.0.1", "127.0.0.1"] {
            #expect(try await isConfidential(peer: proxy, proxies: ["10.0.0.0/24", "127.0.0.1/32"], headers: https))
            #expect(try await !isConfidential(peer: proxy, proxies: ["10.0.0.0/24", "127.0.0.1/32"], headers: http))
            #expect(try await !isConfidential(peer: proxy, proxies: ["10.0.0.0/24", "127.0.0.1/32"], headers: none))
        }
        // Anyone can send the header.
        #expect(try await !isConfidential(peer: "192.0.2.7", proxies: ["10.0.0.0/24"], headers: https))
        #expect(try await !isConfidential(peer: "192.0.2.7", headers: [scheme: "https"]))
    }
}
