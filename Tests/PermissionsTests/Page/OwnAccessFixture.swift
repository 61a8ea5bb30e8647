import Core
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
@testable import Permissions
@testable import ServerHTTP

/// The page `/wallet` in this process, with a clock that the test sets, and a browser with its cookies.
final class OwnAccessFixture {
    /// An answer of the server.
    struct Answer {
        let status: Int
        let headers: HTTPFields
        let text: String

        /// The hidden fields of the forms, by the address of the form.
        func fields(of action: String) -> [(String, String)] {
            guard let form = text.range(of: "action=\"\(action)\""),
                let end = text.range(of: "</form>", range: form.upperBound..<text.endIndex)
            else { return [] }
            return text[form.upperBound..<end.lowerBound].matches(
                of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/
            ).map { (String($0.output.1), String($0.output.2)) }
        }
    }

    static let key = try? SigningKey.generate()
    let access: AccessStores
    let routes: OwnAccessRoutes
    let authorization: AuthorizationRoutes
    private let seconds: SettableSeconds
    private var cookies: [String: String] = [:]

    /// Seconds that the test sets.
    final class SettableSeconds: Sendable {
        private let value = Mutex(1_790_000_000.0)
        var now: Date { Date(timeIntervalSince1970: value.withLock { $0 }) }
        func advance(_ interval: Double) { value.withLock { $0 += interval } }
    }

    private init(_ database: any SQLDatabase) throws {
        let seconds = SettableSeconds()
        self.seconds = seconds
        access = AccessStores(database: database, clock: { seconds.now })
        var configuration = try AuthorizationConfiguration(
            address: PublicAddress("https://study.example"), keys: [try #require(Self.key)],
            title: "Sleep <and> mood", hasPatient: { _ in true })
        configuration.passwordCost = .least
        authorization = AuthorizationRoutes(
            access: access, configuration: configuration, clock: { seconds.now })
        routes = OwnAccessRoutes(
            access: access, sessions: authorization.sessions, title: "Sleep <and> mood", limiter: RateLimiter(),
            permissions: PermissionStore(clock: { seconds.now }), codes: WalletCodes(audit: access.audit), version: "1")
    }

    static func with(_ body: (OwnAccessFixture) async throws -> Void) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database async throws in
            try await body(try OwnAccessFixture(database))
        }
    }

    var now: Date { seconds.now }
    func advance(_ interval: Double) { seconds.advance(interval) }
    /// Continues in another browser.
    func changeBrowser() { cookies = [:] }

    /// Follows a link or sends a form.
    func go(_ path: String, _ form: [(String, String)]? = nil) async throws -> Answer {
        var headers: HTTPFields = [:]
        if !cookies.isEmpty {
            headers[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
        }
        if form != nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        let body = form.map { fields in
            fields.map { PercentEncoding.encodeForm($0.0) + "=" + PercentEncoding.encodeForm($0.1) }
                .joined(separator: "&")
        }
        let application = Application(
            responder: ServingResponder(
                router: RequestDispatcher(devices: [], clients: [authorization.table, routes.table]),
                trustedProxies: [], isSecure: false, shutdown: ShutdownState(), metrics: nil, logLevel: .info),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let (method, sent) = (form == nil ? HTTPRequest.Method.get : .post, headers)
        let answer = try await application.test(.router) { client in
            try await client.execute(
                uri: path, method: method, headers: sent, body: body.map { ByteBuffer(string: $0) }
            ) { response in
                Answer(
                    status: Int(response.status.code), headers: response.headers,
                    text: String(decoding: Array(response.body.readableBytesView), as: UTF8.self))
            }
        }
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return answer
    }

    /// Creates an account and signs in with it. Returns the page.
    @discardableResult
    func signIn(as name: String = "anna", _ role: Role = .participant) async throws -> Answer {
        _ = try await access.accounts.createAccount(
            username: name, role: role, patient: role == .participant ? name : nil, practitioner: nil,
            password: "correct horse", cost: .least, by: Actor(id: "account", role: .site))
        let page = try await go("/wallet")
        let answer = try await go(
            "/wallet/sign-in",
            page.fields(of: "wallet/sign-in") + [("username", name), ("password", "correct horse")])
        #expect(answer.status == 303 && answer.headers[.location] == "../wallet")
        return try await go("/wallet")
    }

    /// Stores a csi without checks.
    func csi(_ guid: String, named name: String) async throws {
        let now = now
        try await access.audit.database.write { transaction in
            try transaction.execute(
                "INSERT INTO registered_client (id, name, scopes, created_at) VALUES (?, ?, ?, ?)",
                [SQLValue(guid), SQLValue(name), "user/*.cruds", SQLValue(now)])
            try transaction.execute(
                "INSERT INTO csi (guid, device_id, created_at) VALUES (?, 'd', ?)", [SQLValue(guid), SQLValue(now)])
        }
    }

    /// Stores a permission without checks.
    func permission(
        _ id: String, for grantee: String, of patient: String, parent: String? = nil, types: String = "*",
        access: String = "read", confidentiality: String = "N", sensitivities: String = "", days: Double = 30
    ) async throws {
        let now = now
        try await self.access.audit.database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO permission_request (id, csi, path, public_key, body, received_at)
                VALUES (?, 'wallet', '/permission/writePermission', '', ?, ?)
                """, [SQLValue("request-" + id), SQLValue(Data("{}".utf8)), SQLValue(now)])
            try transaction.execute(
                """
                INSERT INTO access_permission (id, request_id, grantor, grantee, participant, parent_id, access,
                    resource_types, confidentiality, sensitivities, starts_at, ends_at, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    SQLValue(id), SQLValue("request-" + id), SQLValue(parent == nil ? "wallet" : "steps"),
                    SQLValue(grantee), SQLValue(patient), SQLValue(parent), SQLValue(access), SQLValue(types),
                    SQLValue(confidentiality), SQLValue(sensitivities), SQLValue(now),
                    SQLValue(now.addingTimeInterval(days * 86_400)), SQLValue(now),
                ])
        }
    }
}
