import Foundation
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import ServerHTTP

@Suite(.serialized) struct TLSTests {
    /// A certificate and its key as files.
    final class Files: Sendable {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        var certificate: String { folder.appendingPathComponent("chain.pem").path }
        var key: String { folder.appendingPathComponent("key.pem").path }

        init(_ pair: TestCertificates.Pair) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try write(pair.certificate, pair.key)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ certificate: String? = nil, _ key: String? = nil) throws {
            try certificate?.write(toFile: self.certificate, atomically: true, encoding: .utf8)
            try key?.write(toFile: self.key, atomically: true, encoding: .utf8)
        }
    }

    /// Collects the server's output until it ends the connection.
    final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let done: EventLoopPromise<String>
        private var received = ""

        init(_ done: EventLoopPromise<String>) { self.done = done }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) { done.succeed(received) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            done.fail(error)
            context.close(promise: nil)
        }
    }

    /// Sends one request by TLS, and returns the response.
    func request(port: Int, _ change: (inout TLSConfiguration) -> Void = { _ in }) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        change(&configuration)
        let context = try NIOSSLContext(configuration: configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let done = loop.makePromise(of: String.self)
        let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    NIOSSLClientHandler(context: context, serverHostname: nil), Collector(done),
                ])
            }
        }.connect(host: "127.0.0.1", port: port).get()
        channel.writeAndFlush(
            ByteBuffer(string: "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), promise: nil)
        return try await done.futureResult.get()
    }

    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    func certificates(_ files: Files, interval: Duration = .zero) throws -> TLSCertificates {
        try TLSCertificates(certificate: files.certificate, key: files.key, interval: interval, logger: logger)
    }

    @Test func requestsAreAnsweredWithStrictTransportSecurity() async throws {
        let files = try Files(TestCertificates.one)
        try await TestServer.run(certificates: try certificates(files)) { server in
            let answer = try await request(port: server.port)
            #expect(answer.contains("hello 127.0.0.1"))
            #expect(answer.lowercased().contains("strict-transport-security: max-age=31536000"))
        }
    }

    @Test func weakSuitesAndOldVersionsAreRefused() async throws {
        let files = try Files(TestCertificates.one)
        try await TestServer.run(certificates: try certificates(files)) { server in
            for suite in [NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA] {
                await #expect(throws: (any Error).self) {
                    _ = try await request(port: server.port) {
                        $0.maximumTLSVersion = .tlsv12
                        $0.cipherSuiteValues = [suite]
                    }
                }
            }
            await #expect(throws: (any Error).self) {
                _ = try await request(port: server.port) {
                    $0.minimumTLSVersion = .tlsv1
                    $0.maximumTLSVersion = .tlsv11
                }
            }
            let answer = try await request(port: server.port) { $0.maximumTLSVersion = .tlsv12 }
            #expect(answer.contains("hello"))
        }
    }

    @Test func aNewCertificateIsUsedAndABadOneIsNot() async throws {
        let files = try Files(TestCertificates.one)
        let certificates = try certificates(files)
        let first = certificates.context()
        #expect(certificates.context() === first)
        // The new chain is written, its key is not yet.
        try files.write(TestCertificates.two.certificate)
        #expect(certificates.context() === first)
        try files.write(nil, TestCertificates.two.key)
        let second = certificates.context()
        #expect(second !== first)
        try files.write("no certificate at all")
        #expect(certificates.context() === second)
        try FileManager.default.removeItem(atPath: files.key)
        #expect(certificates.context() === second)
        try files.write(TestCertificates.one.certificate, TestCertificates.one.key)
        #expect(certificates.context() !== second)
    }

    @Test func aRunningServerShowsTheNewCertificate() async throws {
        let files = try Files(TestCertificates.one)
        let certificates = try certificates(files)
        let (one, two) = (TestCertificates.one, TestCertificates.two)
        try await TestServer.run(certificates: certificates) { server in
            func trusts(_ pair: TestCertificates.Pair) async -> Bool {
                let root = try? NIOSSLCertificate(bytes: Array(pair.certificate.utf8), format: .pem)
                let answer = try? await request(port: server.port) {
                    $0.certificateVerification = .noHostnameVerification
                    $0.trustRoots = .certificates(root.map { [$0] } ?? [])
                }
                return answer?.contains("hello") ?? false
            }
            // A request that a busy machine does not complete in time gives no result.
            #expect(try await poll { await trusts(one) })
            #expect(await !trusts(two))
            try files.write(two.certificate, two.key)
            #expect(try await poll { await trusts(two) })
            #expect(await !trusts(one))
        }
    }

    @Test func filesAreCheckedOnceAnInterval() throws {
        let files = try Files(TestCertificates.one)
        let clock = RateLimiterTests.Clock()
        let certificates = try TLSCertificates(
            certificate: files.certificate, key: files.key, interval: .seconds(5), logger: logger, now: { clock.now })
        let first = certificates.context()
        try files.write(TestCertificates.two.certificate, TestCertificates.two.key)
        clock.advance(.seconds(4))
        #expect(certificates.context() === first)
        clock.advance(.seconds(1))
        #expect(certificates.context() !== first)
    }

    @Test func filesThatDoNotBelongTogetherAreRefused() throws {
        let files = try Files(TestCertificates.one)
        try files.write(nil, TestCertificates.two.key)
        #expect { try certificates(files) } throws: { ($0 as? ServerHTTPError)?.code == "tls-unreadable" }
        try FileManager.default.removeItem(atPath: files.certificate)
        #expect { try certificates(files) } throws: { ($0 as? ServerHTTPError)?.code == "tls-unreadable" }
    }

    @Test(arguments: [nil, "\u{16}\u{3}\u{1}"])
    func aHandshakeThatDoesNotEndIsClosed(first: String?) async throws {
        let files = try Files(TestCertificates.one)
        let limits = TestServer.limits {
            $0.idle = .milliseconds(300)
            $0.header = .milliseconds(300)
        }
        try await TestServer.run(limits, certificates: try certificates(files)) { server in
            let socket = try TestSocket(port: server.port)
            if let first { socket.send(first) }
            #expect(try #require(try await socket.lifetime(feeding: first.map { _ in "\u{2}" })) > 0.2)
        }
    }

    @Test func moreConnectionsThanTheBudgetAreRefusedByTLSToo() async throws {
        let files = try Files(TestCertificates.one)
        let limits = TestServer.limits { $0.connections = 1 }
        try await TestServer.run(limits, certificates: try certificates(files)) { server in
            let kept = try TestSocket(port: server.port)
            #expect(try await poll { server.server.connections.open == 1 })
            #expect(try await TestSocket(port: server.port).lifetime() != nil)
            kept.close()
            #expect(try await poll { server.server.connections.open == 0 })
            #expect(try await request(port: server.port).contains("hello"))
        }
    }
}
