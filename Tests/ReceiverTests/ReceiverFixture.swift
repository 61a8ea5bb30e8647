import AccessPolicy
import Audit
import Enrolments
import Foundation
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import NIOEmbedded
import Storage
import StorageTestSupport
import Submissions
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Receiver
@testable import ServerHTTP

/// The antispam word that the study's apps know.
let antispamWord = "planted-antispam-word"
let bundle = "org.example.study"

/// The log, line by line.
final class CapturedLog: Sendable {
    private let captured = Mutex<[String]>([])

    var lines: [String] { captured.withLock { $0 } }

    func append(_ line: String) {
        captured.withLock { $0.append(line) }
    }
}

struct CapturingHandler: LogHandler {
    let log: CapturedLog
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        log.append("\(event.level) \(event.message) \(all)")
    }
}

final class TestClock: Sendable {
    private let seconds = Mutex(1_767_225_600.0)

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    func advance(_ interval: Double) {
        seconds.withLock { $0 += interval }
    }
}

/// Roots and keys that are slow to make, made once.
enum Made {
    static let root: DevelopmentReceiptRoot? = try? AppReceipt.makeDevelopmentRoot()
    static let keys: [PrivateKey] = (try? [PrivateKey.generateP256(), PrivateKey.generateRSA()]) ?? []

    static func receipt(_ bundleIdentifier: String = bundle) throws -> Data {
        try AppReceipt.makeDevelopment(bundleIdentifier: bundleIdentifier, root: try #require(root))
    }
}

/// Returns a change of one setting.
func changing<Value>(
    _ setting: WritableKeyPath<ReceiverConfiguration, Value>, _ value: Value
) -> (inout ReceiverConfiguration) -> Void {
    { $0[keyPath: setting] = value }
}

/// The token of a staff member, for a receiver that knows the staff.
let staffToken = "staff-token-of-the-tests"

/// Recognises the staff's token, like a server with the records store.
let knowsStaff: @Sendable (String) async throws -> Actor? = { $0 == staffToken ? Actor(id: "s-1", role: .staff) : nil }

/// Returns a rate limiter with the test's clock and some replaced rates.
func limiter(_ rates: [RateClass: (perSecond: Double, burst: Int)], _ clock: TestClock) throws -> RateLimiter {
    var limits = RateLimits()
    for (rateClass, rate) in rates { limits[rateClass] = try Rate(perSecond: rate.perSecond, burst: rate.burst) }
    return RateLimiter(limits: limits, now: { .seconds(clock.now.timeIntervalSince1970) })
}

/// A study's receiver in this process, with its own queue store.
struct Study: Sendable {
    let access: DeviceAccess
    let refusals: RefusalCounter
    let queue: SQLSubmissionQueue
    let database: any SQLDatabase
    /// The database's file.
    let path: String
    let clock: TestClock
    let log: CapturedLog
    let client: any TestClientProtocol
    /// A client over a socket instead of the framework's client, which gives up after twenty seconds on a busy machine.
    var patient: TestClient?
    private let responder: RequestDispatcher

    static func with(
        _ change: (inout ReceiverConfiguration) -> Void = { _ in }, wrapping: (any SubmissionQueue)? = nil,
        live: Bool = false, clock: TestClock = TestClock(),
        clients: [RouteTable] = [], inspect: (RouteTable) -> Void = { _ in },
        _ body: @escaping @Sendable (Study) async throws -> Void
    ) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("r-\(UUID().uuidString).db").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let database = try await TestEngine.chosen.open(path: path, migrations: SubmissionsSchema.migrations)
        let root = try AppReceiptRoot(Data(try #require(Made.root).certificatePEM.utf8))
        var configuration = ReceiverConfiguration(
            antispam: SecretDigest(of: antispamWord), bundleIdentifier: bundle, receiptRoots: [root],
            limits: ReceiverConfiguration.Limits(
                maximumBodyBytes: 20_000, maximumRegistrationBytes: 20_000, deliveriesPerPage: 3),
            publicKeys: { PublicKey.jwks(Made.keys.map(\.publicKey)) },
            signedKeys: {
                try SignedKeySet.sign(
                    PublishedKeys(own: Made.keys.map(\.publicKey), study: "s"), issuedAt: clock.now,
                    expiresAt: clock.now.addingTimeInterval(60), with: P256SigningKey())
            },
            published: PublishedReading(
                read: { type, id, release in
                    guard id == "sleep" else { return nil }
                    return .init(bytes: Data(#"{ "resourceType":"\#(type)", "x":1.50 }"#.utf8), release: release)
                },
                search: { search in
                    let text = "\(search.type) \(search.count) \(search.offset) \(search.parameters) \(search.address)"
                    return .init(bytes: Data(text.utf8), release: search.release)
                }),
            consents: { Data(#"{"resourceType":"Bundle","type":"collection"}"#.utf8) },
            healthFile: { Data("{\"file\":\"\($0)\"}".utf8) })
        change(&configuration)
        let access = DeviceAccess(database: database, clock: { clock.now })
        let refusals = RefusalCounter(database: database, clock: { clock.now })
        let queue = SQLSubmissionQueue(database: database)
        let log = CapturedLog()
        let table = ReceiverRoutes(
            configuration: configuration, access: access, queue: wrapping ?? queue, refusals: refusals,
            clock: { clock.now }
        ).table
        inspect(table)
        let responder = RequestDispatcher(devices: [table], clients: clients)
        let application = Application(
            responder: ServingResponder(
                router: responder, trustedProxies: [], isSecure: false, shutdown: ShutdownState(), metrics: nil,
                logLevel: .info),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: Logger(label: "test") { _ in CapturingHandler(log: log) })
        try await application.test(live ? .live : .router) { client in
            var study = Study(
                access: access, refusals: refusals, queue: queue, database: database, path: path, clock: clock,
                log: log, client: client, responder: responder)
            guard let port = client.port else { return try await body(study) }
            let patient = TestClient(
                host: "localhost", port: port, configuration: .init(timeout: .seconds(Patience.seconds)))
            patient.connect()
            study.patient = patient
            do {
                try await body(study)
            } catch {
                try? await patient.shutdown()
                throw error
            }
            try await patient.shutdown()
        }
        try await database.close()
    }

    func send(
        _ method: String, _ path: String, antispam: String? = antispamWord, token: String? = nil,
        headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Answer {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPFields.Element.Name(name))] = value }
        if let antispam { fields[try #require(HTTPFields.Element.Name("Antispam"))] = antispam }
        if let token { fields[.authorization] = "Bearer \(token)" }
        let named = try #require(HTTPRequest.Method(rawValue: method))
        let bytes = body.map { ByteBuffer(bytes: $0) }
        if let patient {
            fields[.connection] = "keep-alive"
            let response = try await patient.execute(
                TestClient.Request(path, method: named, authority: "localhost", headers: fields, body: bytes))
            return Answer(
                status: Int(response.status.code), headers: response.headers,
                body: response.body.map { Data($0.readableBytesView) } ?? Data())
        }
        return try await client.execute(uri: path, method: named, headers: fields, body: bytes) { response in
            Answer(
                status: Int(response.status.code), headers: response.headers,
                body: Data(response.body.readableBytesView))
        }
    }

    /// Sends a POST from an address, with a body in pieces.
    func post(
        _ path: String, token: String? = nil, length: Int? = nil, from address: String = "192.0.2.1", body: RequestBody
    ) async throws -> Int {
        var fields: HTTPFields = [:]
        if let token {
            fields[.antispam] = antispamWord
            fields[.authorization] = "Bearer \(token)"
        }
        if let length { fields[.contentLength] = String(length) }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var context = ServerRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger))
        context.client = ClientAddress(IPAddress(address))
        let head = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path, headerFields: fields)
        return Int(try await responder.respond(to: Request(head: head, body: body), context: context).status.code)
    }

    /// Registers with a receipt and requests a token.
    func device(_ receipt: Data? = nil) async throws -> (id: String, secret: String, token: String) {
        let answer = try await register(receipt ?? Made.receipt())
        let credentials = try #require(RegistrationResponse(reading: answer.body))
        let issued = try await token(credentials.clientID, credentials.clientSecret)
        let token = try #require(TokenResponse(reading: issued.body)).accessToken
        return (credentials.clientID, credentials.clientSecret, token)
    }

    /// Returns the number of rows of a table.
    func count(_ table: String) async throws -> Int {
        try await database.read { transaction in
            Int(try transaction.first("SELECT count(*) AS number FROM \(table)")?.integer("number") ?? 0)
        }
    }

    /// Returns the refusals of all minutes by code.
    func counted() async throws -> [String: Int] {
        await refusals.flush()
        return try await database.read { transaction in
            let rows = try transaction.query("SELECT code, sum(count) AS number FROM refusal_count GROUP BY code")
            return Dictionary(
                uniqueKeysWithValues: try rows.map { (try $0.text("code"), Int(try $0.integer("number"))) })
        }
    }

    /// Settles received submissions in their order, as the consumer does.
    func settle(_ outcomes: [SubmissionOutcome]) async throws {
        let leased = try await queue.lease(owner: "o", limit: outcomes.count, duration: 9, now: clock.now, isIdle: true)
        for (submission, outcome) in zip(leased, outcomes) {
            #expect(try await queue.settle(submission, as: outcome, at: clock.now))
        }
        try await queue.giveBack(owner: "o")
    }

    func register(_ receipt: Data, antispam: String? = antispamWord) async throws -> Answer {
        try await send(
            "POST", "/register", antispam: antispam,
            body: JSONEncoder().encode(
                RegistrationRequest(receiptData: receipt.base64EncodedString(), clientName: "Planted Name")))
    }

    func token(_ id: String, _ secret: String) async throws -> Answer {
        let basic = Data("\(id):\(secret)".utf8).base64EncodedString()
        return try await send(
            "POST", "/oauth", antispam: nil, headers: ["Authorization": "Basic \(basic)"],
            body: Data("grant_type=client_credentials".utf8))
    }
}

struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    var problemCode: String? { json["code"] as? String }
    var oauthError: String? { json["error"] as? String }
    /// The submission that the response names.
    var submission: String? { json["submission"] as? String }
    var retryAfter: Int? { header("Retry-After").flatMap { Int($0) } }
    /// The stable code in an OperationOutcome.
    var outcomeCode: String? {
        let issue = (json["issue"] as? [[String: Any]])?.first
        return (issue?["details"] as? [String: Any])?["text"] as? String
    }
    var code: String? { problemCode ?? outcomeCode ?? oauthError }

    func header(_ name: String) -> String? {
        HTTPFields.Element.Name(name).flatMap { headers[$0] }
    }
}

/// A body that must not be read.
var unreadable: RequestBody {
    let stream = AsyncStream<ByteBuffer> {
        Issue.record("the body must not be read")
        return nil
    }
    return RequestBody(asyncSequence: stream)
}

/// Returns a JWE with this id.
func envelope(_ submissionID: UUID = UUID(), sequence: Int64 = 1, payload: String = #"{"resourceType":"Observation"}"#)
    throws -> Data
{
    let header = try SubmissionHeader(submissionID: submissionID.uuidString, sequence: sequence)
    return try SealedEnvelope.seal(Data(payload.utf8), as: header, to: Made.keys.map(\.publicKey)).bytes
}

/// Returns an envelope in C3-PRO's form; only the consumer can check its content.
func c3proEnvelope(message: String = "bWVzc2FnZQ==", key: String = "a2V5") -> Data {
    Data(#"{"key_id":"","symmetric_key":"\#(key)","message":"\#(message)","version":"1.0.2"}"#.utf8)
}

extension RouteTable {
    /// Returns routes of another module, which answer `theirs` to a GET of the paths.
    static func theirs(_ paths: [String]) -> RouteTable {
        let refusal: @Sendable (any Error, Request) -> any HTTPRefusal = { error, _ in
            error as? HTTPFailure ?? .internalError
        }
        let routes = GuardedRoutes(refusal: refusal) { routes in
            for path in paths { routes.get(RouterPath(path)) { _, _ in "theirs" } }
        }
        return RouteTable([routes], charge: RefusalCharge(limiter: RateLimiter()) { _ in })
    }
}
