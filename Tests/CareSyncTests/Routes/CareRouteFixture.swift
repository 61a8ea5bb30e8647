import AccessPolicy
import AccessTestSupport
import Audit
import CarePlans
import Core
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Storage
import StorageTestSupport
import Testing

@testable import Accounts
@testable import CareSync
@testable import Identity
@testable import ServerHTTP

/// The routes of accounts and care plans in this process.
struct CareRouteFixture: Sendable {
    static let word = "antispam-word"

    struct Answer: Sendable {
        let status: Int
        let json: JSON
        var code: String? { json["code"]?.string }
    }

    /// A signed-in person.
    struct SignedIn: Sendable {
        let id: String
        let token: String
    }

    let database: any SQLDatabase
    let clock: TestClock
    let store: PeopleStore
    let accounts: AccountRoutes
    let routes: CareRoutes

    static func with(
        groups: [String] = ["main", "south"], waits: AccountWaits = AccountWaits(interval: .milliseconds(20)),
        _ body: (CareRouteFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase(PeopleSchema.store.migrations) { database async throws in
            let clock = TestClock()
            let store = PeopleStore(
                audit: AuditLog(database: database, clock: { clock.now }), groups: groups, title: "Study",
                passwordCost: .least)
            try await store.prepare()
            var rates = RateLimits()
            let free = try Rate(perSecond: 1_000_000, burst: 1_000_000)
            for rateClass in RateClass.allCases { rates[rateClass] = free }
            let accounts = AccountRoutes(
                store: store, antispam: SecretDigest(of: word), limiter: RateLimiter(limits: rates),
                bodies: BodyBudget(bytes: 256 << 20), waits: waits, refusals: { _ in }, clock: { clock.now },
                onWork: {})
            try await body(
                CareRouteFixture(
                    database: database, clock: clock, store: store, accounts: accounts,
                    routes: CareRoutes(accounts: accounts)))
        }
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, as token: String? = nil, body: JSON? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        headers[HTTPField.Name(validated: "Antispam")] = Self.word
        if let token { headers[.authorization] = "Bearer \(token)" }
        let sent = headers
        let application = Application(
            responder: ServingResponder(
                router: RequestDispatcher(devices: [], clients: [accounts.table, routes.table]), trustedProxies: [],
                isSecure: false, shutdown: ShutdownState(), metrics: nil, logLevel: .critical),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await application.test(.router) { client in
            try await client.execute(
                uri: "/v1/" + path, method: method, headers: sent, body: body.map { ByteBuffer(bytes: $0.bytes()) }
            ) { response in
                let json = JSON(reading: Array(response.body.readableBytesView)) ?? .null
                return Answer(status: Int(response.status.code), json: json)
            }
        }
    }

    func signUp(_ name: String, group: String = "main") async throws -> SignedIn {
        let body: JSON = [
            "email": .string("\(name)@example.org"), "password": "correct horse", "group": .string(group),
        ]
        let answer = try await ask(.post, "accounts", body: body)
        try #require(answer.status == 201)
        return SignedIn(
            id: try #require(answer.json["account"]?.string), token: try #require(answer.json["accessToken"]?.string))
    }

    /// Signs up a verified member of a team.
    func member(_ name: String, _ role: TeamRole, of group: String, until end: Date? = nil) async throws -> SignedIn {
        let member = try await signUp(name)
        let now = clock.now
        try await database.write {
            _ = try $0.execute(
                "UPDATE person SET verified_at = ? WHERE account_id = ?", [SQLValue(now), SQLValue(member.id)])
        }
        _ = try await store.grant(role, to: member.id, group: group, until: end, by: site)
        return member
    }

    func push(
        _ entities: [CareEntity], _ vector: KnowledgeVector, to patient: String, as person: SignedIn
    ) async throws -> Answer {
        let body: JSON = [
            "revisions": [CareRevision(entities, knowledgeVector: vector).json], "knowledgeVector": vector.json,
        ]
        return try await ask(.post, "patients/\(patient)/revisions", as: person.token, body: body)
    }

    func pull(
        _ vector: KnowledgeVector = KnowledgeVector(), of patient: String, as person: SignedIn, wait: Int? = nil
    ) async throws -> Answer {
        var body: JSON = ["knowledgeVector": vector.json]
        if let wait { body["wait"] = .number(JSONNumber(wait)) }
        return try await ask(.post, "patients/\(patient)/revisions/pull", as: person.token, body: body)
    }
}
