import Foundation
import Identity
import NIOCore
import NIOSSL
import ServerHTTP
import TestSupport
import Testing

@testable import Authorization

/// S01: a key set URL does not give access to internal addresses.
@Suite(.timeLimit(.minutes(10)))
struct KeySetFetcherTests {
    private func refusal(
        _ url: String, _ fetcher: KeySetFetcher = KeySetFetcher(allowsLoopback: false)
    ) async throws -> KeySetFetchError? {
        do {
            _ = try await fetcher.fetch(try #require(RegisteredURL(url)))
            return nil
        } catch {
            return error as? KeySetFetchError
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "fe80::1", "fc00::1", "fd12::1", "ff02::1",
        "2001:db8::1", "fec0::1",
    ])
    func s01InternalAddressIsRefusedForAnyName(address: String) async throws {
        #expect(!OutsideAddress.isPublic(try #require(IPAddress(address))))
        let inside = try SocketAddress(ipAddress: address, port: 443)
        let outside = try SocketAddress(ipAddress: "93.184.215.14", port: 443)
        // A name that also has an external address is refused as well: the name's owner decides which address is used.
        for addresses in [[inside], [outside, inside]] {
            let fetcher = KeySetFetcher(allowsLoopback: false, resolve: { _, _ in addresses })
            #expect(try await refusal("https://keys.example/jwks.json", fetcher) == .refusedAddress)
        }
    }

    @Test(arguments: ["93.184.215.14", "8.8.8.8", "172.32.0.1", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
    func s01PublicAddressIsPinnedForTheConnection(address: String) throws {
        let found = try SocketAddress(ipAddress: address, port: 443)
        let url = try #require(RegisteredURL("https://keys.example/"))
        #expect(try KeySetFetcher(allowsLoopback: false).pinned([found], of: url) == found)
        // A loopback name that resolves to another address is refused.
        let local = try #require(RegisteredURL("http://localhost/"))
        #expect(throws: KeySetFetchError.refusedAddress) {
            try KeySetFetcher(allowsLoopback: true).pinned([found], of: local)
        }
    }

    @Test func s01AddressWithoutTLSOrAtAnotherPortIsRefused() async throws {
        for url in ["http://keys.example/", "https://keys.example:22/", "https://10.0.0.1/", "http://127.0.0.1/"] {
            #expect(try await refusal(url) == .refusedAddress, "\(url)")
        }
    }

    /// Runs a server that always sends the same response.
    private func serving(
        _ answer: String, _ body: (RegisteredURL) async throws -> Void
    ) async throws {
        let server = try await OneAnswerServer.start(answer)
        do {
            try await body(try #require(RegisteredURL("http://127.0.0.1:\(server.port)/keys?a=b")))
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private let local = KeySetFetcher(allowsLoopback: true)

    @Test func keysAreReadWithTheirMaximumAge() async throws {
        for (control, age) in [
            ("", nil), ("Cache-Control: public, max-age=120\r\n", 120), ("Cache-Control: no-store\r\n", 0),
            ("Cache-Control: Max-Age=\"60\", no-cache\r\n", 0), ("Cache-Control: max-age=x\r\n", nil),
        ] as [(String, Int?)] {
            try await serving("HTTP/1.1 200 OK\r\n\(control)Content-Length: 2\r\n\r\n{}") { url in
                let fetched = try await local.fetch(url)
                #expect(fetched == FetchedKeySet(bytes: Data("{}".utf8), maximumAge: age))
            }
        }
    }

    @Test func j06RedirectsAreNotFollowedAndInvalidResponsesAreRefused() async throws {
        for answer in [
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + String(repeating: " ", count: 70_000),
        ] {
            try await serving(answer) { url in
                await #expect(throws: KeySetFetchError.refusedAnswer) { try await local.fetch(url) }
            }
        }
        try await serving("nonsense\r\n\r\n") { url in
            await #expect(throws: KeySetFetchError.unreachable) { try await local.fetch(url) }
        }
    }

    @Test func s12KeysAreFetchedOnlyWithATrustedCertificate() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        let server = try await OneAnswerServer.start(answer, certificate: TestCertificates.one)
        let roots = try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.one.certificate.utf8))
        let url = try #require(RegisteredURL("https://localhost:\(server.port)/keys"))
        let trusting = KeySetFetcher(allowsLoopback: true, trust: .certificates(roots))
        #expect(try await trusting.fetch(url).bytes == Data("{}".utf8))
        // No trusted certificate, or the certificate of another server.
        #expect(try await refusal(url.text, local) == .unreachable)
        let strange = try NIOSSLCertificate.fromPEMBytes(Array(TestCertificates.two.certificate.utf8))
        let other = KeySetFetcher(allowsLoopback: true, trust: .certificates(strange))
        #expect(try await refusal(url.text, other) == .unreachable)
        try await server.stop()
    }

    @Test func unresponsiveAddressIsATimeout() async throws {
        try await serving("") { url in
            let patient = KeySetFetcher(allowsLoopback: true, deadline: .milliseconds(50))
            await #expect(throws: KeySetFetchError.timeout) { try await patient.fetch(url) }
        }
    }
}
