import Foundation
import Hummingbird
import Testing

@testable import ServerHTTP

/// The head of a request as sent: `Host` and `Expect`.
@Suite struct RequestHeadTests {
    private func answer(_ server: TestServer, _ text: String, until end: String? = nil) async throws -> String {
        let socket = try TestSocket(port: server.port)
        socket.send(text)
        return try await socket.text(until: end ?? "\r\n\r\n")
    }

    /// RFC 9112 section 3.2.
    @Test(arguments: [
        ("Host: a.example\r\n", 200), ("Host: a.example:8080\r\n", 200), ("host: [::1]:8080\r\n", 200),
        ("", 400), ("Host: a.example\r\nHost: a.example\r\n", 400),
        ("Host: a.example\r\nX: y\r\nhOST: b.example\r\n", 400),
        ("Host:\r\n", 400), ("Host: a.example, b.example\r\n", 400), ("Host: a.example/x\r\n", 400),
        ("Host: a@b\r\n", 400),
    ])
    func aRequestHasExactlyOneHost(hosts: String, status: Int) async throws {
        try await TestServer.run { server in
            let text = try await answer(server, "GET /hello HTTP/1.1\r\n\(hosts)\r\n")
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
        }
    }

    @Test func aRequestOfHTTP10NeedsNoHost() async throws {
        try await TestServer.run { server in
            let text = try await answer(server, "GET /hello HTTP/1.0\r\n\r\n")
            #expect(text.contains(" 200 "), "\(text)")
            let two = try await answer(server, "GET /hello HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n")
            #expect(two.contains(" 400 "), "\(two)")
        }
    }

    private func post(_ path: String, _ headers: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\(headers)\r\n"
    }

    /// RFC 9110 section 10.1.1: the client has sent no body when it receives 100 Continue.
    @Test func clientThatExpectsContinueReceivesIt() async throws {
        try await TestServer.run { server in
            let socket = try TestSocket(port: server.port)
            for name in ["Expect: 100-continue\r\n", "expect: 100-Continue\r\n"] {
                socket.send(post("/echo", name))
                let first = try await socket.text(until: "\r\n\r\n")
                #expect(first.hasPrefix("HTTP/1.1 100 ") && !first.contains("200"), "\(first)")
                socket.send("12345")
                let second = try await socket.text(until: "\r\n\r\n5")
                #expect(second.hasPrefix("HTTP/1.1 200 ") && !second.contains(" 100 "), "\(second)")
            }
            // The same connection continues.
            socket.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await socket.text(until: "hello").contains("200"))
        }
    }

    @Test func aClientThatDoesNotWaitIsAnsweredToo() async throws {
        try await TestServer.run { server in
            let socket = try TestSocket(port: server.port)
            socket.send(post("/echo", "Expect: 100-continue\r\n") + "12345")
            let text = try await socket.text(until: "\r\n\r\n5")
            #expect(text.contains("HTTP/1.1 200 "))
        }
    }

    /// A route that does not read the body responds immediately, and the connection ends.
    @Test func refusedRequestDoesNotReceiveContinue() async throws {
        try await TestServer.run { server in
            for (path, status) in [("/refuse", 401), ("/none", 404)] {
                let socket = try TestSocket(port: server.port)
                socket.send(post(path, "Expect: 100-continue\r\n"))
                let text = try await socket.text(until: "\r\n\r\n")
                #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
                #expect(text.lowercased().contains("connection: close"))
            }
        }
    }

    @Test func unknownExpectationIsRefused() async throws {
        try await TestServer.run { server in
            for expectation in ["tea", "100-continue, tea"] {
                let text = try await answer(
                    server, post("/echo", "Expect: \(expectation)\r\n"), until: "expectation-unknown")
                #expect(text.hasPrefix("HTTP/1.1 417 "), "\(text)")
            }
            // In HTTP/1.0 it is ignored.
            let old = try await answer(
                server, "POST /echo HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n12345",
                until: "\r\n\r\n5")
            #expect(old.contains(" 200 ") && !old.contains(" 100 "), "\(old)")
        }
    }
}
