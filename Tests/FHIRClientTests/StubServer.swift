import Core
import FHIRClient
import Foundation

/// A server with scripted answers, which records its requests.
actor StubServer: Transport {
    typealias Answer = @Sendable (_ request: TransportRequest, _ number: Int) throws -> TransportResponse

    private let answer: Answer
    private(set) var requests: [TransportRequest] = []

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Creates a server that gives the same answer to every request.
    init(_ status: Int, _ body: String = "", headers: [String: String] = [:]) {
        self.init { _, _ in TransportResponse(status: status, headers: headers, body: Data(body.utf8)) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.append(request)
        return try answer(request, requests.count - 1)
    }

    /// Method and URL of each request.
    var lines: [String] { requests.map { "\($0.method) \($0.url.absoluteString)" } }

    nonisolated func connection(
        _ base: String = "https://fhir.example/r4", limits: FHIRClientLimits = FHIRClientLimits(),
        token: @escaping FHIRConnection.Token = { _ in nil }
    ) throws -> FHIRConnection {
        guard let url = URL(string: base) else { throw URLError(.badURL) }
        return FHIRConnection(
            url, transport: self, limits: limits, token: token,
            clock: { Date(timeIntervalSince1970: 1_800_000_000) })
    }
}

extension TransportResponse {
    static func json(_ status: Int, _ text: String, headers: [String: String] = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Data(text.utf8))
    }
}

/// Returns the error of the client that the body throws; nil for none or another one.
func clientError(_ body: () async throws -> Void) async -> FHIRClientError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? FHIRClientError
    }
}
