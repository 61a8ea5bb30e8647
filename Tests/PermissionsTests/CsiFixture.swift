import AccessPolicy
import AccessTestSupport
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
import Wire

@testable import Audit
@testable import Identity
@testable import Permissions
@testable import ServerHTTP

/// A csi of a test, with its key.
struct TestCsi: Sendable {
    let guid: CsiGuid
    var key: P256SigningKey
    let device: String
}

/// A response of the server.
struct CsiReply: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    var json: JSON { JSON(reading: Data(text.utf8)) ?? .null }
    var error: String? { json["error"]?.string }
}

/// Permissions by SQL: a csi that ends ends those that it received and those that it passed on.
struct TestPermissions: PermissionEffects {
    /// Writes a row before it refuses, for `fetchPermissionsGivenByMe`.
    static let refusedDevice = "refused"

    func effect(of call: VerifiedCsiCall, in transaction: any SQLTransaction) throws -> CsiEffect {
        if call.csi.deviceID == Self.refusedDevice {
            try transaction.execute("UPDATE csi SET role = 'provider' WHERE guid = ?", [SQLValue(call.csi.guid.text)])
            throw PermissionError(.selfGrant, "No.")
        }
        return CsiEffect(
            answer: ["permissions": [], "all": .bool(call.includesEnded)],
            target: Target(resourceType: "Consent", subject: call.csi.patient))
    }

    func endPermissions(ofEnded csi: CsiGuid, in transaction: any SQLTransaction) throws {
        try transaction.execute(
            """
            UPDATE access_permission SET ended_at = '2026-01-01T00:00:00.000Z'
            WHERE grantee = ? OR (grantor = ? AND parent_id IS NOT NULL)
            """, [SQLValue(csi.text), SQLValue(csi.text)])
    }
}

/// The routes in this process, with a clock that the test sets.
struct CsiFixture: Sendable {
    let database: any SQLDatabase
    let clock: TestClock
    let audit: AuditLog
    let calls: CsiCalls
    let routes: PermissionRoutes

    private static let rates: RateLimits = {
        var rates = RateLimits()
        rates[.csiRegistrationByAddress] = RateLimits()[.readByAddress]
        return rates
    }()

    /// Creates the pipeline of one process.
    init(
        _ database: any SQLDatabase, clock: TestClock, rules: CsiCalls.Rules = .init(),
        rates: RateLimits = rates
    ) async throws {
        self.database = database
        self.clock = clock
        audit = AuditLog(database: database, clock: { clock.now })
        calls = CsiCalls(audit: audit, permissions: TestPermissions(), rules: rules)
        try await CsiStore.prepare(audit)
        routes = PermissionRoutes(calls: calls, limiter: RateLimiter(limits: rates), version: "1.2.3")
    }

    static func with(
        rules: CsiCalls.Rules = .init(), rates: RateLimits = rates, _ body: (CsiFixture) async throws -> Void
    ) async throws {
        try await withTemporaryDatabase([.baseline(of: "records", AccessSchema.sections)]) { database async throws in
            try await body(try await CsiFixture(database, clock: TestClock(), rules: rules, rates: rates))
        }
    }

    /// Returns another process of the same store.
    func another() async throws -> CsiFixture {
        try await CsiFixture(database, clock: clock, rules: calls.rules)
    }

    // MARK: - Requests

    var application: some ApplicationProtocol {
        Application(
            responder: ServingResponder(
                router: AddressResponder(dispatcher: RequestDispatcher(devices: [], clients: [routes.table])),
                trustedProxies: [], isSecure: false, shutdown: ShutdownState(), metrics: nil, logLevel: .info),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: Data? = nil
    ) async throws -> CsiReply {
        try await application.test(.router) { client in
            try await client.execute(
                uri: path, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
            ) { response in
                CsiReply(
                    status: Int(response.status.code), headers: response.headers,
                    text: String(decoding: Array(response.body.readableBytesView), as: UTF8.self))
            }
        }
    }

    /// Sends a body as JSON.
    func post(
        _ path: CsiPath, _ body: Data, query: String = "", from address: String? = nil
    ) async throws -> CsiReply {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[AddressResponder.header] = address
        return try await ask(.post, path.rawValue + query, headers: headers, body: body)
    }

    func send(_ request: SignedCsiRequest, query: String = "", from address: String? = nil) async throws -> CsiReply {
        try await post(request.call.path, request.body, query: query, from: address)
    }

    /// Signs a call and sends it.
    func call(
        _ call: CsiCall, as csi: TestCsi, version: CsiSignatureVersion = .v2, newKey: P256SigningKey? = nil,
        query: String = ""
    ) async throws -> CsiReply {
        try await send(sign(call, as: csi, version: version, newKey: newKey), query: query)
    }

    /// Signs a call.
    ///
    /// - Parameter offset: the difference in seconds from the time of the server.
    func sign(
        _ call: CsiCall, as csi: TestCsi, version: CsiSignatureVersion = .v2, nonce: String = UUID().uuidString,
        offset: Double = 0, newKey: P256SigningKey? = nil
    ) throws -> SignedCsiRequest {
        try SignedCsiRequest(
            signing: call, csi: csi.guid, time: CsiInstant(clock.now.addingTimeInterval(offset)), nonce: nonce,
            version: version, key: csi.key, newKey: newKey)
    }

    // MARK: - Csis

    func guid() async throws -> CsiGuid {
        let reply = try await ask(.get, UtilityPath.getGloballyUniqueIdentifier.rawValue)
        return try #require(NewGuidAnswer(json: reply.json)?.guid)
    }

    /// Returns a csi that is not registered yet.
    func newCsi(device: String = "device-1") async throws -> TestCsi {
        TestCsi(guid: try await guid(), key: try P256SigningKey(), device: device)
    }

    static func registration(
        _ csi: TestCsi, name: String = "Steps", claims: PublicClaims = PublicClaims()
    ) -> CsiCall {
        .register(
            CsiRegistration(applicationClass: name, deviceID: csi.device, claims: claims, key: csi.key.publicKey))
    }

    /// Registers a csi.
    func app(
        device: String = "device-1", name: String = "Steps", claims: PublicClaims = PublicClaims()
    ) async throws -> TestCsi {
        let csi = try await newCsi(device: device)
        let reply = try await call(Self.registration(csi, name: name, claims: claims), as: csi)
        try #require(reply.status == 200, "\(reply.text)")
        return csi
    }

    /// Registers a wallet of a Patient.
    func wallet(
        of patient: String = "anna", device: String = "device-1", claims: PublicClaims = PublicClaims()
    ) async throws -> TestCsi {
        let csi = try await app(device: device, name: "Wallet", claims: claims)
        let code = try await WalletCodes(audit: audit).create(forPatient: patient, by: site).code
        let reply = try await call(.bind(code: code), as: csi)
        try #require(reply.status == 200, "\(reply.text)")
        return csi
    }

    var clients: ClientStore { ClientStore(audit: audit) }

    func stored(_ csi: TestCsi) async throws -> CsiInstance? {
        try await database.read { try CsiInstance.find(csi.guid, in: $0) }
    }

    /// Stores a permission.
    ///
    /// - Parameter seconds: beginning and end, relative to the time of the server.
    @discardableResult
    func permit(
        _ grantor: TestCsi, _ grantee: TestCsi, patient: String = "anna", parent: String? = nil,
        seconds: (Double, Double) = (-10, 3_600)
    ) async throws -> String {
        let id = UUID().uuidString
        let (start, end) = (clock.now.addingTimeInterval(seconds.0), clock.now.addingTimeInterval(seconds.1))
        try await database.write { transaction in
            try transaction.execute(
                """
                INSERT INTO permission_request (id, csi, path, public_key, body, received_at)
                VALUES (?, ?, '', '', ?, '2026')
                """, [SQLValue(id), SQLValue(grantor.guid.text), SQLValue(Data())])
            try transaction.execute(
                """
                INSERT INTO access_permission (id, request_id, grantor, grantee, participant, parent_id, access,
                    resource_types, confidentiality, sensitivities, starts_at, ends_at, created_at)
                VALUES (?, ?, ?, ?, ?, ?, 'read', '*', 'N', '', ?, ?, '2026')
                """,
                [
                    SQLValue(id), SQLValue(id), SQLValue(grantor.guid.text), SQLValue(grantee.guid.text),
                    SQLValue(patient), SQLValue(parent), SQLValue(start), SQLValue(end),
                ])
        }
        return id
    }

    /// The rows of the audit as `action allowed reason`, the oldest first, without those of codes.
    func auditRows() async throws -> [String] {
        try await audit.entries().reversed().filter { $0.action != Action.createWalletCode.rawValue }.map {
            "\($0.action) \($0.isAllowed ? "allowed" : "denied") \($0.reason)"
        }
    }
}

/// Sets the remote address of a request in this process.
struct AddressResponder: HTTPResponder {
    static let header = HTTPField.Name(validated: "x-test-address")

    let dispatcher: RequestDispatcher

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        var context = context
        if let text = request.headers[Self.header] {
            context.client = ClientAddress(IPAddress(text))
            context.isConfidential = context.client.isThisMachine
        }
        return try await dispatcher.respond(to: request, context: context)
    }
}
