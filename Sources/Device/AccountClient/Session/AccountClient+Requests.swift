import Core
import Foundation
import HTTPTransport
import ResearchResults

/// A request below `/v1/`.
struct AccountRequest: Sendable {
    var method: String
    /// The path below `/v1/`, percent-encoded.
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: Data?
    /// The kind, for the number of an error.
    var kind: AccountRequestKind
    /// Statuses in addition to 2xx that are no errors.
    var passing: Set<Int> = []

    init(
        _ method: String, path: String, query: [(name: String, value: String)] = [], json: JSON? = nil,
        kind: AccountRequestKind, passing: Set<Int> = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.kind = kind
        self.passing = passing
        body = json?.data()
        if json != nil { headers["Content-Type"] = "application/json" }
    }
}

extension AccountClient {
    /// Sends a request of the signed-in account, and again once after 401 with a renewed session.
    ///
    /// - Throws: ``AccountClientError``; `DeviceStorageError`; `CancellationError`.
    func send(_ request: AccountRequest) async throws -> TransportResponse {
        let session = try await currentSession()
        do {
            return try await send(request, authorization: session)
        } catch let error as AccountClientError {
            // A wrong password has the same status, and is no reason to renew a session.
            guard error.status == 401, error.cmhealth != .invalidCredentials || error.code == Self.unnumbered else {
                throw error
            }
            let renewed = try await currentSession(rejecting: session)
            return try await send(request, authorization: renewed)
        }
    }

    /// The code of a 401 without a number: an access token that is not accepted.
    static var unnumbered: String { "token-refused" }

    /// Sends a request without a session, with the antispam word.
    func sendUnsigned(_ request: AccountRequest) async throws -> TransportResponse {
        var request = request
        request.headers["Antispam"] = server.antispam
        return try await send(request, authorization: nil)
    }

    /// Sends a request once.
    func send(_ request: AccountRequest, authorization session: AccountSession?) async throws -> TransportResponse {
        var headers = request.headers
        headers["Authorization"] = session.map { "Bearer \($0.accessToken)" }
        let response = try await reach(
            TransportRequest(
                method: request.method, url: server.url(request.path, query: request.query), headers: headers,
                body: request.body))
        guard (200..<300).contains(response.status) || request.passing.contains(response.status) else {
            throw failure(of: response, kind: request.kind)
        }
        guard response.body.count <= limits.answerBytes else { throw AccountClientError(.answerTooLarge) }
        return response
    }

    private func reach(_ request: TransportRequest) async throws -> TransportResponse {
        do {
            return try await transport.send(request)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as TransportError {
            switch error.reason {
            case .answerInvalid: throw AccountClientError(.answerTooLarge)
            case .certificateUntrusted: throw AccountClientError(.certificateUntrusted)
            case .connectionFailed: throw AccountClientError(.connectionFailed)
            }
        } catch {
            throw AccountClientError(.connectionFailed)
        }
    }

    /// Returns the error of an answer: the number and the code of the problem (RFC 9457), else those of the status.
    private func failure(of response: TransportResponse, kind: AccountRequestKind) -> AccountClientError {
        let problem = response.body.count <= 64 << 10 ? JSON(reading: response.body) : nil
        let number = problem?["cmhealth"]?.integer.flatMap { CMHealthError(rawValue: $0) }
        let code = problem?["code"]?.string.flatMap { Self.isCode($0) ? $0 : nil }
        let error = number ?? AccountClientError.Reason(rawValue: code ?? "")?.cmhealth
        let cmhealth = error ?? kind.error(status: response.status)
        return AccountClientError(
            code: code ?? (response.status == 401 && number == nil ? Self.unnumbered : cmhealth.code),
            cmhealth: cmhealth, status: response.status, retryAfter: response.retryAfter(now: now()))
    }

    /// Whether a text of the server is a code, which may be logged.
    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    // MARK: - Answers

    /// Returns the JSON object of an answer.
    ///
    /// - Throws: ``AccountClientError`` 805.
    nonisolated func json(_ response: TransportResponse) throws(AccountClientError) -> JSON {
        guard let json = JSON(reading: response.body), json.object != nil else {
            throw AccountClientError(.invalidResponse, status: response.status)
        }
        return json
    }

    /// Returns an id as a segment of a path.
    ///
    /// - Throws: ``AccountClientError`` `id-invalid`.
    nonisolated func segment(_ id: String) throws(AccountClientError) -> String {
        guard AccountText.isID(id) else { throw AccountClientError(.idInvalid) }
        return PercentEncoding.encode(id)
    }
}
