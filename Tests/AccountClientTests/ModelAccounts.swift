import Core
import Crypto
import Foundation
import HTTPTransport
import Synchronization

/// A clock that tests move.
final class TestClock: Sendable {
    private let instant = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

    var now: Date { instant.withLock { $0 } }

    func advance(_ seconds: Double) { instant.withLock { $0 += seconds } }
}

/// A fault of the network or the server in one request.
enum ModelFault: Sendable {
    /// The request does not arrive.
    case loseRequest
    /// The request arrives, and its answer does not.
    case loseAnswer
    /// The server answers this instead.
    case answer(TransportResponse)
}

/// The server of the accounts in memory, as the routes are documented.
actor ModelAccounts: Transport {
    struct Account {
        let id: String
        var email: String
        var password: String
        var profile: JSON = [:]
        var version = 1
        var photo: (Data, String)?
        var isVerified = false
        var groups = ["main"]
        var isSharing = true
        var blobs: [String: Data] = [:]
        var consents: [JSON] = []
        var results: [(id: String, result: JSON, descriptor: String)] = []
        var code: String?
    }

    struct Session {
        let account: String
        var access: String
        var refresh: String
        var expires: Date
        var previous: (token: String, until: Date)?
    }

    let clock: TestClock
    var accounts: [String: Account] = [:]
    var sessions: [Session] = []
    var feed: [JSON] = []
    var pageSize = 2
    private(set) var requests: [TransportRequest] = []
    private var faults: [Int: ModelFault] = [:]
    private var counter = 0
    /// Called when a request arrives.
    private var observer: (@Sendable (TransportRequest) async -> Void)?

    init(_ clock: TestClock) { self.clock = clock }

    /// Sets the fault of a later request: 0 for the next one.
    func fail(_ fault: ModelFault, after number: Int = 0) { faults[requests.count + number] = fault }

    func observe(_ observer: (@Sendable (TransportRequest) async -> Void)?) { self.observer = observer }

    /// Method and path of the requests since the last call.
    func takeLines() -> [String] {
        defer { requests = [] }
        return requests.map { request in
            let query = request.url.query.map { "?\($0)" } ?? ""
            return "\(request.method) \(request.url.path.replacing("/v1/", with: ""))\(query)"
        }
    }

    func change(_ account: String, _ body: @Sendable (inout Account) -> Void) {
        if accounts[account] != nil { body(&accounts[account]!) }
    }

    func account(_ email: String) -> Account? { accounts.values.first { $0.email == email } }

    func append(toFeed entry: JSON) { feed.append(entry) }

    func endSessions() { sessions = [] }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fault = faults.removeValue(forKey: requests.count)
        requests.append(request)
        await observer?(request)
        switch fault {
        case .loseRequest: throw TransportError(.connectionFailed, "lost")
        case .loseAnswer:
            _ = answer(request)
            throw TransportError(.connectionFailed, "lost")
        case .answer(let response): return response
        case nil: return answer(request)
        }
    }

    // MARK: - Answers

    static func json(_ status: Int, _ json: JSON) -> TransportResponse {
        TransportResponse(status: status, headers: ["Content-Type": "application/json"], body: json.data())
    }

    static func problem(_ status: Int, code: String, cmhealth number: Int? = nil) -> TransportResponse {
        var json: JSON = ["code": .string(code), "status": .number(JSONNumber(status))]
        json["cmhealth"] = number.map { .number(JSONNumber($0)) }
        return Self.json(status, json)
    }

    private func next(_ prefix: String) -> String {
        counter += 1
        return "\(prefix)-\(counter)"
    }

    private func answer(_ request: TransportRequest) -> TransportResponse {
        let path = request.url.path(percentEncoded: true).replacing("/v1/", with: "")
        let body = request.body.flatMap { JSON(reading: $0) } ?? .null
        let route = "\(request.method) \(path)"
        if let open = answerOpen(route, body) {
            return request.headers["Antispam"] == "blue" ? open : Self.problem(403, code: "antispam-wrong")
        }
        let token = request.headers["Authorization"].map { String($0.dropFirst(7)) }
        guard let index = sessions.firstIndex(where: { $0.access == token && clock.now < $0.expires }),
            let account = accounts[sessions[index].account]
        else { return Self.problem(401, code: "not-signed-in", cmhealth: 708) }
        if route == "DELETE sessions/current" {
            sessions.remove(at: index)
            return TransportResponse(status: 204)
        }
        let call = ModelCall(
            route: route, path: path.split(separator: "/").map(String.init), body: body, bytes: request.body ?? Data(),
            query: PercentEncoding.fields(request.url.query(percentEncoded: true) ?? "") ?? [],
            ifMatch: request.headers["If-Match"], type: request.headers["Content-Type"] ?? "")
        return answer(call, account.id)
    }

    /// Answers the routes without a session.
    private func answerOpen(_ route: String, _ body: JSON) -> TransportResponse? {
        let email = body["email"]?.string ?? ""
        let password = body["password"]?.string ?? ""
        switch route {
        case "POST accounts":
            if account(email) != nil { return Self.problem(409, code: "account-duplicate", cmhealth: 711) }
            guard password.count >= 8 else { return Self.problem(422, code: "account-request-invalid", cmhealth: 712) }
            let id = next("account")
            accounts[id] = Account(
                id: id, email: email, password: password, profile: body["profile"] ?? [:], code: "C1")
            return start(id)
        case "POST sessions":
            guard let account = account(email), account.password == password else {
                return Self.problem(401, code: "credentials-wrong", cmhealth: 710)
            }
            return start(account.id)
        case "POST sessions/refresh": return refresh(body["refreshToken"]?.string ?? "")
        case "POST password-resets":
            if let id = account(email)?.id { accounts[id]?.code = next("code") }
            return TransportResponse(status: 202)
        case "POST password-resets/confirm":
            guard let code = body["code"]?.string, let id = accounts.values.first(where: { $0.code == code })?.id else {
                return Self.problem(410, code: "code-invalid")
            }
            accounts[id]?.password = password
            accounts[id]?.code = nil
            sessions.removeAll { $0.account == id }
            return TransportResponse(status: 204)
        default: return nil
        }
    }

    private func start(_ account: String) -> TransportResponse {
        let session = Session(
            account: account, access: next("access"), refresh: next("refresh"),
            expires: clock.now.addingTimeInterval(3_600))
        sessions.append(session)
        return answer(session, 201)
    }

    private func refresh(_ token: String) -> TransportResponse {
        guard
            let index = sessions.firstIndex(where: { $0.refresh == token || $0.previous?.token == token })
        else { return Self.problem(401, code: "not-signed-in", cmhealth: 708) }
        if sessions[index].refresh != token, clock.now > sessions[index].previous?.until ?? .distantPast {
            sessions.remove(at: index)
            return Self.problem(401, code: "not-signed-in", cmhealth: 708)
        }
        // The previous token stays valid for 60 s after its first use.
        if sessions[index].refresh == token { sessions[index].previous = (token, clock.now.addingTimeInterval(60)) }
        sessions[index].access = next("access")
        sessions[index].refresh = next("refresh")
        sessions[index].expires = clock.now.addingTimeInterval(3_600)
        return answer(sessions[index], 200)
    }

    private func answer(_ session: Session, _ status: Int) -> TransportResponse {
        Self.json(
            status,
            [
                "account": .string(session.account), "accessToken": .string(session.access),
                "expiresIn": .number(JSONNumber(Int(session.expires.timeIntervalSince(clock.now)))),
                "refreshToken": .string(session.refresh),
            ])
    }
}

/// A request of an account.
struct ModelCall {
    let route: String
    let path: [String]
    let body: JSON
    let bytes: Data
    let query: [(name: String, value: String)]
    let ifMatch: String?
    let type: String

    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
