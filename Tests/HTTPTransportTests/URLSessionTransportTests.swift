import Foundation
import Testing

@testable import HTTPTransport

/// The real transport against a small server in another process.
@Suite(.enabled(if: LocalServer.isPossible), .serialized) struct URLSessionTransportTests {
    @Test func requestAndResponseAreTransferred() async throws {
        let server = try LocalServer()
        let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let response = try await URLSessionTransport().send(
            TransportRequest(
                method: "POST", url: server.url("/echo"), headers: ["X-Test": "value", "Content-Type": "a/b"],
                body: body))
        #expect(response.status == 418)
        #expect(response.headers["x-method"] == "POST")
        #expect(response.headers["x-test"] == "value")
        #expect(response.headers["retry-after"] == "5")
        #expect(response.body == body)
    }

    @Test func redirectsStayOnTheirServer() async throws {
        let (server, other) = (try LocalServer(), try LocalServer())
        let transport = URLSessionTransport()
        func send(_ method: String, _ path: String) async throws -> Int {
            try await transport.send(
                TransportRequest(method: method, url: server.url(path), headers: ["Authorization": "Bearer secret"])
            ).status
        }
        #expect(try await send("GET", "/redirect?/echo") == 418)
        #expect(try await send("GET", "/redirect?\(other.url("/echo").absoluteString)") == 302)
        #expect(try await send("POST", "/redirect?/echo") == 302)
    }

    @Test func cookiesAreNotKept() async throws {
        let server = try LocalServer()
        let transport = URLSessionTransport()
        for _ in 0..<2 {
            let response = try await transport.send(TransportRequest(method: "GET", url: server.url("/echo")))
            #expect(response.headers["x-cookie"] == "none")
        }
    }

    @Test func endlessResponseIsCancelled() async throws {
        let server = try LocalServer()
        let transport = URLSessionTransport(largestAnswer: 1_000_000)
        for path in ["/endless", "/promised"] {
            #expect(
                await code {
                    _ = try await transport.send(TransportRequest(method: "GET", url: server.url(path)))
                } == "answer-invalid", "\(path)")
        }
        // Neither affects the next request.
        let body = Data(repeating: 7, count: 1_000_000)
        let request = TransportRequest(method: "POST", url: server.url("/echo"), body: body)
        #expect(try await transport.send(request).body == body)
    }

    @Test func manyAnswersAreNotMixedUp() async throws {
        let server = try LocalServer()
        let transport = URLSessionTransport()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let body = Data(repeating: UInt8(number), count: 50_000 + number)
                    return try await transport.send(
                        TransportRequest(method: "POST", url: server.url("/echo"), body: body)
                    ).body == body
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }

    @Test func cancelledRequestEndsImmediately() async throws {
        let server = try LocalServer()
        let sending = Task {
            try await URLSessionTransport().send(TransportRequest(method: "GET", url: server.url("/silent")))
        }
        sending.cancel()
        await #expect(throws: CancellationError.self) { try await sending.value }
    }

    @Test func aClosedPortIsAFailedConnection() async throws {
        let url = try LocalServer().url("/echo")
        let closed = try #require(
            URL(string: url.absoluteString.replacingOccurrences(of: ":\(url.port ?? 0)", with: ":1")))
        #expect(
            await code {
                _ = try await URLSessionTransport(timeout: 60).send(TransportRequest(method: "GET", url: closed))
            }
                == "connection-failed")
    }
}

/// Returns the code of the error of a transport that the body throws; nil for none.
private func code(_ body: () async throws -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? TransportError)?.code ?? "other: \(error)"
    }
}

/// A server that responds with the received request.
private final class LocalServer: @unchecked Sendable {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/env") && (try? LocalServer()) != nil

    private let process = Process()
    /// Kept open as long as the server is needed: the server ends when this end closes, even if this process is killed.
    private let input = Pipe()
    private let port: Int

    init() throws {
        let script = """
            import http.server, os, sys, threading
            class Handler(http.server.BaseHTTPRequestHandler):
                def answer(self):
                    body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
                    if self.path == '/silent':
                        return sys.stdin.read()
                    if self.path in ('/endless', '/promised'):
                        self.send_response(200)
                        if self.path == '/promised': self.send_header('Content-Length', str(1 << 40))
                        self.end_headers()
                        try:
                            while True: self.wfile.write(bytes(65536))
                        except OSError:
                            return
                    if self.path.startswith('/redirect?'):
                        self.send_response(302)
                        self.send_header('Location', self.path.split('?', 1)[1])
                        body = b''
                    else:
                        self.send_response(418)
                        self.send_header('X-Method', self.command)
                        self.send_header('X-Test', self.headers.get('X-Test') or 'none')
                        self.send_header('X-Cookie', self.headers.get('Cookie') or 'none')
                        self.send_header('Set-Cookie', 'a=b')
                        self.send_header('Retry-After', '5')
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                do_GET = do_POST = answer
                def log_message(self, *_): pass
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
            server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw URLError(.badServerResponse)
        }
        self.port = port
    }

    deinit { try? input.fileHandleForWriting.close() }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: "/") }
}
