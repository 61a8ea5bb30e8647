import AccessPolicy
import AccessTestSupport
import Audit
import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Storage
import StorageTestSupport
import Testing

@testable import Accounts
@testable import Identity
@testable import ServerHTTP

/// An answer of the routes.
struct AccountAnswer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: JSON { JSON(reading: bytes) ?? .null }
    var code: String? { json["code"]?.string }
    var cmhealth: Int? { json["cmhealth"]?.integer }
}

/// The routes of account holders in this process, with a clock that the test sets.
struct AccountFixture {
    static let word = "antispam-word"
    static let password = "correct horse"

    let database: any SQLDatabase
    let clock: TestClock
    let store: PeopleStore
    let routes: AccountRoutes

    static func with(
        groups: [String] = ["main", "other"], limits: RateLimits? = nil, on engine: TestEngine = .chosen,
        _ body: (AccountFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(PeopleSchema.store.migrations, on: engine) { database async throws in
            let clock = TestClock()
            let store = PeopleStore(
                audit: AuditLog(database: database, clock: { clock.now }), groups: groups, title: "Sleep study",
                passwordCost: .least)
            try await store.prepare()
            var rates = limits ?? RateLimits()
            if limits == nil {
                let free = try Rate(perSecond: 1_000_000, burst: 1_000_000)
                for rateClass in RateClass.allCases { rates[rateClass] = free }
            }
            let routes = AccountRoutes(
                store: store, antispam: SecretDigest(of: word), limiter: RateLimiter(limits: rates),
                bodies: BodyBudget(bytes: 256 << 20), refusals: { _ in }, clock: { clock.now }, onWork: {})
            try await body(AccountFixture(database: database, clock: clock, store: store, routes: routes))
        }
    }

    private var application: some ApplicationProtocol {
        Application(
            responder: ServingResponder(
                router: RequestDispatcher(devices: [], clients: [routes.table]), trustedProxies: [], isSecure: false,
                shutdown: ShutdownState(), metrics: nil, logLevel: .critical),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Sends a request.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, as token: String? = nil, body: [UInt8]? = nil,
        headers: HTTPFields = [:]
    ) async throws -> AccountAnswer {
        var headers = headers
        headers[HTTPField.Name(validated: "Antispam")] = Self.word
        if let token { headers[.authorization] = "Bearer \(token)" }
        let sent = headers
        return try await application.test(.router) { client in
            try await client.execute(
                uri: "/v1/" + path, method: method, headers: sent, body: body.map { ByteBuffer(bytes: $0) }
            ) { response in
                AccountAnswer(
                    status: Int(response.status.code), headers: response.headers,
                    bytes: Array(response.body.readableBytesView))
            }
        }
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, as token: String? = nil, json: JSON, headers: HTTPFields = [:]
    ) async throws -> AccountAnswer {
        try await ask(method, path, as: token, body: json.bytes(), headers: headers)
    }

    /// A signed-in person.
    struct SignedIn: Sendable {
        let id: String
        let email: String
        let token: String
        let refresh: String
    }

    /// Signs a person up.
    func signUp(
        _ name: String, group: String? = nil, profile: JSON? = nil
    ) async throws -> SignedIn {
        var body: JSON = ["email": .string("\(name)@example.org"), "password": .string(Self.password)]
        if let group { body["group"] = .string(group) }
        if let profile { body["profile"] = profile }
        let answer = try await ask(.post, "accounts", json: body)
        #expect(answer.status == 201, "\(answer.text)")
        return try signedIn(answer, email: "\(name)@example.org")
    }

    func signIn(_ email: String, password: String = password) async throws -> SignedIn {
        let answer = try await ask(
            .post, "sessions", json: ["email": .string(email), "password": .string(password)])
        #expect(answer.status == 201, "\(answer.text)")
        return try signedIn(answer, email: email)
    }

    func signedIn(_ answer: AccountAnswer, email: String) throws -> SignedIn {
        SignedIn(
            id: try #require(answer.json["account"]?.string), email: email,
            token: try #require(answer.json["accessToken"]?.string),
            refresh: try #require(answer.json["refreshToken"]?.string))
    }

    /// Returns the codes in the mails to an address, in the order of the mails.
    func codes(to email: String) async throws -> [String] {
        try await mails(to: email).compactMap { mail in
            mail.split(separator: "\n").first { $0.hasPrefix("Code: ") }.map { String($0.dropFirst(6)) }
        }
    }

    func mails(to email: String) async throws -> [String] {
        try await database.read {
            try $0.query("SELECT body FROM mail_message WHERE recipient = ? ORDER BY number", [SQLValue(email)])
                .map { try $0.text("body") }
        }
    }

    /// Verifies the address of a person.
    func verify(_ person: SignedIn) async throws {
        let code = try #require(try await codes(to: person.email).last)
        let answer = try await ask(.post, "me/verification", as: person.token, json: ["code": .string(code)])
        #expect(answer.status == 204)
    }

    /// Signs up a verified member of a team.
    func member(_ name: String, _ role: TeamRole, of group: String, until end: Date? = nil) async throws -> SignedIn {
        let member = try await signUp(name)
        try await verify(member)
        _ = try await store.grant(role, to: member.id, group: group, until: end, by: site)
        return member
    }

    /// Uploads a file, and returns its digest.
    func upload(_ bytes: [UInt8], as person: SignedIn) async throws -> String {
        let digest = SecretDigest.hex(of: Data(bytes))
        let answer = try await ask(.put, "me/blobs/\(digest)", as: person.token, body: bytes)
        #expect([200, 201].contains(answer.status))
        return digest
    }
}
