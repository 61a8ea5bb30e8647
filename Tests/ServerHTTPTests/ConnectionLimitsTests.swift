import Foundation
import ServiceLifecycle
import Testing

@testable import ServerHTTP

/// The limits on real sockets. The upper bounds are wide since the machine may be busy; the tests check that
/// connections end.
@Suite(.serialized) struct ConnectionLimitsTests {
    @Test func aSilentConnectionIsClosed() async throws {
        try await TestServer.run(TestServer.limits { $0.idle = .milliseconds(300) }) { server in
            let lifetime = try await TestSocket(port: server.port).lifetime()
            #expect(try #require(lifetime) > 0.25)
        }
    }

    @Test func idleConnectionAfterARequestIsClosed() async throws {
        try await TestServer.run(TestServer.limits { $0.idle = .milliseconds(300) }) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await socket.text(until: "hello 127.0.0.1").contains("200 OK"))
            #expect(try #require(try await socket.lifetime()) > 0.25)
        }
    }

    @Test func aHeadByteByByteIsClosedWhenItsTimeIsOver() async throws {
        try await TestServer.run(TestServer.limits { $0.header = .milliseconds(400) }) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("GET /hello HTTP/1.1\r\nHost: x\r\nX: ")
            #expect(try #require(try await socket.lifetime(feeding: "a")) > 0.35)
        }
    }

    @Test func theSecondHeadOfAConnectionIsTimedAsTheFirst() async throws {
        try await TestServer.run(TestServer.limits { $0.header = .milliseconds(400) }) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await socket.text(until: "hello 127.0.0.1")
            socket.send("GET /hello HTTP/1.1\r\n")
            #expect(try #require(try await socket.lifetime(feeding: "X: a\r\n")) > 0.35)
        }
    }

    @Test func aSlowBodyIsClosedWhenItsTimeIsOver() async throws {
        let registry = PrometheusRegistry()
        try await TestServer.run(TestServer.limits { $0.body = .milliseconds(400) }, metrics: registry) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
            #expect(try #require(try await socket.lifetime(feeding: "a")) > 0.35)
        }
        #expect(await registry.text().contains("http_connections_expired_total{limit=\"body\"} 1\n"))
    }

    /// A body with an ambiguous length, which different readers could interpret as a body or as the next request, is
    /// neither.
    @Test(arguments: [
        "Transfer-Encoding: xchunked", "Transfer-Encoding: identity", "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Content-Length: 0\r\nContent-Length: 43",
    ])
    func bodyWithAnAmbiguousLengthIsRefusedOnce(headers: String) async throws {
        try await TestServer.run { server in
            let socket = try TestSocket(port: server.port)
            socket.send(
                "POST /guarded HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            let answer = try await socket.text()
            #expect(answer.hasPrefix("HTTP/1.1 400") && answer.split(separator: "HTTP/1.1").count == 1, "\(answer)")
        }
    }

    @Test func responseThatIsNotReadIsAborted() async throws {
        try await TestServer.run(TestServer.limits { $0.answer = .seconds(3) }) { server in
            let socket = try TestSocket(port: server.port, receiveBuffer: 4_096)
            socket.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await poll { server.server.connections.open == 1 })
            #expect(try await poll { server.server.connections.open == 0 })
            socket.close()
        }
    }

    @Test func aRequestInAllIsBounded() async throws {
        try await TestServer.run(TestServer.limits { $0.request = .milliseconds(400) }) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
            #expect(try #require(try await socket.lifetime(feeding: "a")) > 0.35)
        }
    }

    @Test func bodyThatContinuesAfterItsResponseIsCutOff() async throws {
        try await TestServer.run(TestServer.limits { $0.drain = .milliseconds(400) }) { server in
            let socket = try TestSocket(port: server.port)
            socket.send("POST /refuse HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            #expect(try await socket.text(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401"))
            #expect(try #require(try await socket.lifetime(feeding: "5\r\nhello\r\n")) > 0.3)
        }
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func clientThatSendsItsWholeBodyReadsTheEarlyResponse(header: String) async throws {
        try await TestServer.run { server in
            let socket = try TestSocket(port: server.port)
            let length = 8 << 20
            socket.send("POST /refuse HTTP/1.1\r\nHost: x\r\n\(header)Content-Length: \(length)\r\n\r\n")
            let bytes = [UInt8](repeating: 65, count: 1 << 20)
            var sent = 0
            let isSent = try await poll {
                guard let count = socket.send(bytes.prefix(length - sent)) else { throw POSIXError(.EPIPE) }
                sent += count
                return sent == length
            }
            #expect(isSent)
            #expect(try await socket.text(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401"))
            guard header.isEmpty else { return }
            // The connection is still usable.
            socket.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await socket.text(until: "hello 127.0.0.1").contains("200 OK"))
        }
    }

    @Test func severalRequestsAtOnceAreAnsweredInOrder() async throws {
        try await TestServer.run { server in
            let socket = try TestSocket(port: server.port)
            socket.send(
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            let text = try await socket.text(until: "hello 127.0.0.1")
            #expect(text.components(separatedBy: "200 OK").count == 3)
        }
    }

    @Test func connectionsBeyondTheBudgetAreRefusedUntilOneCloses() async throws {
        let limits = TestServer.limits { $0.connections = 3 }
        try await TestServer.run(limits) { server in try await expectThreeConnections(server) }
    }

    @Test func connectionsBeyondTheLimitOfAnAddressAreRefusedUntilOneCloses() async throws {
        let limits = TestServer.limits { $0.connectionsPerAddress = 3 }
        try await TestServer.run(limits) { server in try await expectThreeConnections(server) }
    }

    func expectThreeConnections(_ server: TestServer) async throws {
        let sockets = try (0..<3).map { _ in try TestSocket(port: server.port) }
        #expect(try await poll { server.server.connections.open == 3 })
        for _ in 0..<20 {
            #expect(try await TestSocket(port: server.port).lifetime() != nil)
        }
        #expect(server.server.connections.refused == 20)
        #expect(server.server.connections.open == 3)
        sockets[0].send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await sockets[0].text(until: "hello 127.0.0.1").contains("200 OK"))
        sockets[1].close()
        #expect(try await poll { server.server.connections.open == 2 })
        let socket = try TestSocket(port: server.port)
        socket.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await socket.text(until: "hello 127.0.0.1").contains("200 OK"))
        // The listener stops here: idle connections do not delay it.
    }

    @Test func aTrustedProxyIsNotCountedByItsAddress() async throws {
        let limits = TestServer.limits { $0.connectionsPerAddress = 3 }
        try await TestServer.run(limits, trustedProxies: [IPNetwork("127.0.0.1")]) { server in
            let sockets = try (0..<10).map { _ in try TestSocket(port: server.port) }
            for socket in sockets {
                socket.send("GET /hello HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.5\r\n\r\n")
                #expect(try await socket.text(until: "hello 203.0.113.5").contains("200 OK"))
            }
        }
    }

    @Test func stopEndsInTimeForAnyClientBehaviour() async throws {
        try await TestServer.run(TestServer.limits { $0.shutdown = .milliseconds(500) }) { server in
            let slow = try TestSocket(port: server.port)
            slow.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
            let unread = try TestSocket(port: server.port, receiveBuffer: 4_096)
            unread.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
            let idle = try (0..<20).map { _ in try TestSocket(port: server.port) }
            #expect(try await poll { server.server.connections.open == 22 })
            await server.stop()
            #expect(try await slow.lifetime(feeding: "a") != nil)
            #expect(try await poll { server.server.connections.open == 0 })
            _ = (unread, idle)
        }
    }

    @Test func closedConnectionCountsWhileItsRequestRuns() async throws {
        let limits = TestServer.limits { $0.connectionsPerAddress = 2 }
        try await TestServer.run(limits) { server in
            for _ in 0..<2 {
                let socket = try TestSocket(port: server.port)
                socket.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await socket.text(until: "begun").contains("200 OK"))
                socket.reset()
            }
            #expect(try await TestSocket(port: server.port).lifetime() != nil)
            #expect(server.server.connections.open == 2)
            server.proceed()
            #expect(try await poll { server.server.connections.open == 0 })
        }
    }

    @Test func addressInUseIsReported() async throws {
        try await TestServer.run { server in
            let second = try HTTPServer(
                responder: TestServer.router().buildResponder(), address: .init(host: "127.0.0.1", port: server.port),
                logger: TestServer.logger)
            await #expect {
                try await ServiceGroup.bounded([second], logger: TestServer.logger).run()
            } throws: { error in
                (error as? ServerHTTPError)?.code == "address-unavailable"
            }
        }
    }
}
