import AccessTestSupport
import Core
import Crypto
import FHIR
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import Storage
import StorageTestSupport
import Testing

@testable import Audit
@testable import Authorization
@testable import FHIRServer
@testable import Permissions
@testable import RecordStorage
@testable import ServerHTTP
@testable import Wire

/// A response of the server.
struct TokenReply: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    var json: JSON { (try? JSON(Array(text.utf8))) ?? .null }
    var error: String? { json["error"]?.string }
    /// Ids of the resources of a Bundle.
    var ids: [String] { (json["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string } }
}

/// The token endpoint, the document's token calls and the FHIR API in this process, with an app on the device of Anna's
/// wallet.
struct TokenFixture: Sendable {
    static let base = "https://study.example"
    static let signing = try? SigningKey.generate()

    let database: any SQLDatabase
    let access: AccessStores
    let clock: TestClock
    let rows: PermissionRows
    let app = CsiIdentity("a")
    let other = CsiIdentity("b")
    let dispatcher: RequestDispatcher

    /// A csi with its key.
    struct CsiIdentity: Sendable {
        let guid: CsiGuid
        let key: P256SigningKey

        init(_ letter: String) {
            guard let guid = CsiGuid(PermissionRows.guid(letter)), let key = try? P256SigningKey() else {
                fatalError("no key")
            }
            self.guid = guid
            self.key = key
        }

        var keySet: String { CsiKeySet.text(key.publicKey, of: guid) }
    }

    static func with(isLegacy: Bool = true, _ body: (TokenFixture) async throws -> Void) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections + RecordsSchema.sections)]) {
            database async throws in
            let fixture = try TokenFixture(database, isLegacy: isLegacy)
            try await fixture.rows.csi(PermissionRows.guid("w"), device: "d", patient: "anna")
            try await fixture.rows.csi(fixture.app.guid.text, device: "d", keySet: fixture.app.keySet)
            try await fixture.rows.csi(fixture.other.guid.text, device: "e", keySet: fixture.other.keySet)
            try await body(fixture)
        }
    }

    private init(_ database: any SQLDatabase, isLegacy: Bool) throws {
        let clock = TestClock()
        self.database = database
        self.clock = clock
        let access = AccessStores(database: database, clock: { clock.now })
        self.access = access
        rows = PermissionRows(database, now: clock.now)
        let address = PublicAddress(Self.base)
        let limiter = RateLimiter()
        let bodies = BodyBudget(bytes: 8 << 20)
        let authorization = AuthorizationRoutes(
            access: access,
            configuration: try AuthorizationConfiguration(
                address: address, keys: [try #require(Self.signing)], title: "Study", hasPatient: { _ in true }),
            limiter: limiter, bodies: bodies, clock: { clock.now })
        var records = RecordsRoutes(
            database: database, access: access, address: address, limiter: limiter, bodies: bodies,
            clock: { clock.now })
        records.service.limits.time = .seconds(3_600)
        let legacy = LegacyTokenRoutes(
            access: access, address: address, limiter: limiter, bodies: bodies, isOn: isLegacy)
        dispatcher = RequestDispatcher(
            devices: [],
            clients: [authorization.table, legacy.table, LegacyTokenRoutes.patientTable(of: records)]
                + records.tables,
            surroundings: records.surroundings)
    }

    private var application: some ApplicationProtocol {
        Application(
            responder: ServingResponder(
                router: AddressResponder(dispatcher: dispatcher), trustedProxies: [], isSecure: false,
                shutdown: ShutdownState(), metrics: nil,
                logLevel: .info), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func ask(_ path: String, token: String? = nil, headers: HTTPFields = [:]) async throws -> TokenReply {
        try await ask(.get, path, token: token, headers: headers)
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, headers: HTTPFields = [:],
        body: String? = nil
    ) async throws -> TokenReply {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/fhir+json" }
        return try await application.test(.router) { [headers] client in
            try await client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) }
            ) { response in
                TokenReply(
                    status: Int(response.status.code), headers: response.headers,
                    text: String(decoding: Array(response.body.readableBytesView), as: UTF8.self))
            }
        }
    }

    /// Sends a form.
    func post(_ path: String, form: String) async throws -> TokenReply {
        try await ask(.post, path, headers: [.contentType: CsiTokenRequest.mediaType], body: form)
    }

    /// Requests a token at the standard endpoint.
    func request(
        _ scope: String? = nil, by csi: CsiIdentity? = nil, id: String = UUID.random().uuidString
    ) async throws -> TokenReply {
        let csi = csi ?? app
        let form = try CsiTokenRequest.form(
            csi: csi.guid, tokenURL: Self.base + "/oauth2/token", scope: scope, now: clock.now, tokenID: id,
            key: csi.key)
        return try await post("/oauth2/token", form: form)
    }

    /// Returns a token of the standard endpoint.
    func token(_ scope: String? = nil, by csi: CsiIdentity? = nil) async throws -> String {
        let answer = try await request(scope, by: csi)
        return try #require(answer.json["access_token"]?.string, "\(answer.text)")
    }

    func put(_ json: String) async throws {
        let content = Data(json.utf8)
        let resource = try Resource(content)
        let id = try #require(resource.id)
        let now = clock.now
        try await database.write { transaction in
            _ = try RecordStore().put(
                resource, content: content, original: nil, id: id,
                provenance: RecordProvenance(submissionID: "s", clientID: "c", keyID: "k", receivedAt: now, number: 0),
                at: now, in: transaction)
        }
    }

    /// Stores a Patient and an Observation of each of them.
    func put(patients: [String]) async throws {
        for id in patients {
            try await put(#"{"resourceType":"Patient","id":"\#(id)","name":[{"family":"F\#(id)"}]}"#)
            try await put(Self.observation("o-\(id)", of: id))
        }
    }

    static func observation(_ id: String, of patient: String, more: String = "") -> String {
        #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"}]},"subject":{"reference":"Patient/\#(patient)"},"effectiveDateTime":"2026-03-01"\#(more)}"#
    }

    /// The reasons of the audit rows of an action, in their order.
    func reasons(of action: String) async throws -> [String] {
        try await database.read {
            try $0.query("SELECT reason FROM audit WHERE action = ? ORDER BY number", [SQLValue(action)]).map {
                try $0.text("reason")
            }
        }
    }
}
