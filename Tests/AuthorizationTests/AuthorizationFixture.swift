import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Storage
import StorageTestSupport
import Synchronization
import Testing

@testable import AccessPolicy
@testable import Audit
@testable import Authorization
@testable import Identity
@testable import ServerHTTP

/// A clock that the test sets.
final class TestClock: Sendable {
    private let seconds = Mutex(1_790_000_000.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) { seconds.withLock { $0 += interval } }
}

/// The responses of key set URLs, and the requested URLs.
final class ServedKeys: Sendable {
    private let state = Mutex<(answers: [String: FetchedKeySet], asked: [String])>(([:], []))

    var asked: [String] { state.withLock { $0.asked } }

    subscript(url: String) -> FetchedKeySet? {
        get { state.withLock { $0.answers[url] } }
        set { state.withLock { $0.answers[url] = newValue } }
    }

    func fetch(_ url: RegisteredURL) throws -> FetchedKeySet {
        let answer = state.withLock { state in
            state.asked.append(url.text)
            return state.answers[url.text]
        }
        guard let answer else { throw KeySetFetchError.unreachable }
        return answer
    }
}

/// A response of the server.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    var json: JSON { (try? JSON(Array(text.utf8))) ?? .null }
    var error: String? { json["error"]?.string }
    var location: String? { headers[.location] }

    /// The query parameters of the redirect URL.
    var redirection: [String: String] {
        let query = location?.split(separator: "?", maxSplits: 1).last ?? ""
        return Dictionary((FormFields(query)?.fields ?? []).map { ($0.name, $0.value) }) { $1 }
    }
}

/// The routes in this process, with a clock that the test sets.
struct AuthorizationFixture {
    static let base = "https://study.example"
    static let key = try? SigningKey.generate()
    static let redirect = "https://app.example/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static var challenge: String { Data(SHA256.hash(data: Data(verifier.utf8))).base64URL }

    let access: AccessStores
    let database: any SQLDatabase
    let clock: TestClock
    let keys = ServedKeys()
    let routes: AuthorizationRoutes

    private init(_ database: any SQLDatabase, base: String, limits: RateLimits) throws {
        let (clock, keys) = (TestClock(), keys)
        self.clock = clock
        self.database = database
        access = AccessStores(database: database, clock: { clock.now })
        var configuration = try AuthorizationConfiguration(
            address: PublicAddress(base), keys: [try #require(Self.key)], title: "Sleep <and> mood",
            hasPatient: { ["anna", "bert"].contains($0) })
        configuration.passwordCost = .least
        routes = AuthorizationRoutes(
            access: access, configuration: configuration, limiter: RateLimiter(limits: limits),
            bodies: BodyBudget(bytes: 8 << 20), refusals: { _ in }, clock: { clock.now },
            random: SystemRandom.bytes, fetch: { try keys.fetch($0) })
    }

    static func with(
        base: String = base, limits: RateLimits = RateLimits(), _ body: (AuthorizationFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database async throws in
            try await body(try AuthorizationFixture(database, base: base, limits: limits))
        }
    }

    private var application: some ApplicationProtocol {
        Application(
            responder: ServingResponder(
                router: TestAddressResponder(dispatcher: RequestDispatcher(devices: [], clients: [routes.table])),
                trustedProxies: [], isSecure: false, shutdown: ShutdownState(),
                metrics: nil, logLevel: .info), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String? = nil
    ) async throws -> Answer {
        try await application.test(.router) { client in
            try await client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
            ) { response in
                Answer(
                    status: Int(response.status.code), headers: response.headers,
                    text: String(decoding: Array(response.body.readableBytesView), as: UTF8.self))
            }
        }
    }

    /// Sends a form.
    func post(
        _ path: String, _ fields: [(String, String)], headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await ask(.post, path, headers: headers, body: Self.form(fields))
    }

    static func form(_ fields: [(String, String)]) -> String {
        fields.map { PercentEncoding.encodeForm($0.0) + "=" + PercentEncoding.encodeForm($0.1) }
            .joined(separator: "&")
    }

    /// Registers a client.
    func client(
        _ proof: RegisteredClient.Proof = .none,
        scope: String = "launch/patient patient/*.rs user/*.rs openid fhirUser offline_access sens/* conf/R",
        redirect: [String] = [redirect]
    ) async throws -> (client: RegisteredClient, secret: String?) {
        try await access.clients.createClient(
            NewClient(
                name: "Sleep <b>diary</b>", proof: proof, redirectURIs: redirect, scopes: try AccessScopes(scope)),
            by: Actor(id: "account", role: .site))
    }

    /// Registers a backend service with its keys.
    func service(_ scope: String = "system/*.rs") async throws -> TestClient {
        var keys = try TestClient()
        keys.id = try await client(.keySet(keys.jwks), scope: scope, redirect: []).client.id
        keys.now = clock.now
        return keys
    }

    @discardableResult
    func person(_ username: String = "anna", _ role: Role = .participant) async throws -> UserAccount {
        try await access.accounts.createAccount(
            username: username, role: role, patient: role == .participant ? "anna" : nil,
            practitioner: role == .practitioner ? "d1" : nil, password: "correct horse", cost: .least,
            by: Actor(id: "account", role: .site)
        ).account
    }

    /// Requests a token with a client assertion.
    func serve(_ assertion: String, scope: String? = "system/*.rs", more: [(String, String)] = []) async throws
        -> Answer
    {
        var fields = [
            ("grant_type", "client_credentials"), ("client_assertion_type", ClientAuthentication.assertionType),
            ("client_assertion", assertion),
        ]
        if let scope { fields.append(("scope", scope)) }
        return try await post("/oauth2/token", fields + more)
    }

    /// Returns the parameters of an app's authorization request.
    func parameters(
        _ client: RegisteredClient, scope: String = "launch/patient patient/*.rs openid fhirUser",
        changing changes: [String: String?] = [:]
    ) -> [(String, String)] {
        let fields = [
            ("response_type", "code"), ("client_id", client.id), ("redirect_uri", Self.redirect), ("scope", scope),
            ("state", "st/&=\"<>"), ("aud", routes.configuration.addresses.fhir), ("code_challenge", Self.challenge),
            ("code_challenge_method", "S256"), ("nonce", "n-1"),
        ]
        var seen: Set<String> = []
        let changed = fields.compactMap { name, value -> (String, String)? in
            seen.insert(name)
            guard let change = changes[name] else { return (name, value) }
            return change.map { (name, $0) }
        }
        return changed
            + changes.filter { !seen.contains($0.key) }.compactMap { name, value in value.map { (name, $0) } }
    }

    func redeem(_ code: String, _ client: RegisteredClient, more: [(String, String)] = []) async throws -> Answer {
        try await post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect),
                ("code_verifier", Self.verifier), ("client_id", client.id),
            ] + more)
    }
}

/// Sets the remote address of a request in this process.
struct TestAddressResponder: HTTPResponder {
    static let header = HTTPField.Name(validated: "x-test-address")

    let dispatcher: RequestDispatcher

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        var context = context
        if let text = request.headers[Self.header] { context.client = ClientAddress(IPAddress(text)) }
        return try await dispatcher.respond(to: request, context: context)
    }
}

/// A person's browser: it keeps cookies, and fills in the forms of pages.
final class TestBrowser {
    private let fixture: AuthorizationFixture
    var cookies: [String: String] = [:]
    private let address: String?

    init(_ fixture: AuthorizationFixture, at address: String? = nil) {
        self.fixture = fixture
        self.address = address
    }

    /// Follows a link or sends a form, and follows redirects on this server.
    func go(
        _ path: String, _ form: [(String, String)]? = nil, isSameSite: Bool = true
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[TestAddressResponder.header] = address
        if isSameSite, !cookies.isEmpty {
            headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        }
        let answer: Answer
        if let form {
            answer = try await fixture.post(path, form, headers: headers)
        } else {
            answer = try await fixture.ask(.get, path, headers: headers)
        }
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        if answer.status == 303, let location = answer.location, location.hasPrefix("authorize?") {
            return try await go("/oauth2/" + location)
        }
        return answer
    }

    /// Returns the fields of a page's form, with the state of its checkboxes.
    static func fields(_ page: Answer) -> [(name: String, value: String, isTicked: Bool)] {
        page.text.matches(of: /<input type="(hidden|checkbox)" name="([^"]*)" value="([^"]*)"( checked)?>/).map {
            (unescape($0.output.2), unescape($0.output.3), $0.output.1 == "hidden" || $0.output.4 != nil)
        }
    }

    private static func unescape(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")].reduce(String(text)) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    func signIn(_ page: Answer, as username: String = "anna", password: String = "correct horse") async throws
        -> Answer
    {
        let hidden = Self.fields(page).map { ($0.name, $0.value) }
        return try await go("/oauth2/sign-in", hidden + [("username", username), ("password", password)])
    }

    /// Sends the ticked fields, with changes.
    func decide(
        _ page: Answer, _ decision: String = "approve", also more: [(String, String)] = [],
        without left: Set<String> = []
    ) async throws -> Answer {
        let ticked = Self.fields(page).filter { $0.isTicked && !left.contains($0.value) }.map { ($0.name, $0.value) }
        return try await go("/oauth2/consent", ticked + more + [("decision", decision)])
    }

    /// Runs the whole flow from the app's request to its tokens.
    func tokens(
        _ client: RegisteredClient, scope: String = "launch/patient patient/*.rs openid fhirUser",
        as name: String = "anna",
        also more: [(String, String)] = [], redeeming: [(String, String)] = []
    ) async throws -> Answer {
        var page = try await go(
            "/oauth2/authorize?" + AuthorizationFixture.form(fixture.parameters(client, scope: scope)))
        if page.text.contains("name=\"password\"") { page = try await signIn(page, as: name) }
        let sent = try await decide(page, also: more)
        let code = try #require(sent.redirection["code"], "\(sent.text)")
        return try await fixture.redeem(code, client, more: redeeming)
    }
}

extension PercentEncoding {
    /// Returns the claims of a JWT: the part between its two dots.
    static func claims(of token: String) -> JSON {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let payload = Data(base64URL: String(parts[1])) else { return .null }
        return JSON(reading: payload) ?? .null
    }
}
