import Audit
import FHIR
import Foundation
import Hummingbird
import HummingbirdTesting
import Identity
import Logging
import Storage
import StorageTestSupport
import Synchronization
import Testing

@testable import BulkExport
@testable import FHIRServer
@testable import RecordStorage
@testable import ServerHTTP

/// The codes of requests that were refused before authentication.
final class RefusedCodes: Sendable {
    private let codes = Mutex<[String]>([])

    var all: [String] { codes.withLock { $0 } }

    func append(_ code: String) { codes.withLock { $0.append(code) } }
}

/// A database with records, a staff token, and a router in this process.
struct RecordsFixture {
    let database: any SQLDatabase
    let access: AccessStores
    let store = RecordStore()
    let token: String
    let limiter: RateLimiter
    /// Resources that are readable without authentication.
    var published: [JSONObject] = []
    let refused = RefusedCodes()
    /// Tokens with scopes of their own, by the names that tests give them.
    var tokens: [String: String] = [:]
    /// The admission of written resources.
    var admission: (any RecordAdmission)?
    /// Exports; nil if they are disabled.
    var exports: Exports?
    /// Time limit of the searches of one request: a busy machine is slow for a Bundle of many searches.
    var searchTime = Duration.seconds(3_600)
    /// Maximum bytes of the records of one response.
    var answerBytes = AnswerAllowance.standard
    /// Maximum bytes that an app writes of a patient's records in a day.
    var writtenBytesPerDay = 1 << 30
    /// Whether the disk has free space.
    var hasRoom = true
    let folder: URL

    init(limiter: RateLimiter = RateLimiter()) async throws {
        self.limiter = limiter
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        database = try await TestEngine.chosen.open(
            path: folder.appendingPathComponent("test.sqlite").path,
            migrations: [.baseline(of: "records", AccessSchema.sections + RecordsSchema.sections)])
        access = AccessStores(database: database, clock: { Date() })
        token = try await access.tokens.createStaffToken(name: "test", lifetime: 3600)
    }

    /// Closes the store, and checks that each index entry has its record and term, which no engine enforces.
    func close() async throws {
        let lost = try await database.read { transaction in
            try RecordsSchema.searchEntryTables.filter { try transaction.first(Self.lostSQL("\($0.table)")) != nil }
        }
        #expect(lost.isEmpty, "entries of records or terms that are not there")
        try await database.close()
        try FileManager.default.removeItem(at: folder)
    }

    /// Returns the SQL for entries whose record or term does not exist.
    private static func lostSQL(_ table: String) -> String {
        """
        SELECT e.number FROM \(table) e LEFT JOIN record r ON r.number = e.number
        LEFT JOIN search_term t ON t.number = e.term WHERE r.number IS NULL OR t.number IS NULL LIMIT 1
        """
    }

    @discardableResult
    func put(
        _ json: String, at: Date = Date(), received: Date? = nil, number: Int64 = 0, submission: String = "s"
    ) async throws -> PutResult {
        let content = Data(json.utf8)
        let resource = try Resource(content)
        let id = try #require(resource.id)
        let store = store
        return try await database.write { transaction in
            try store.put(
                resource, content: content, original: nil, id: id,
                provenance: RecordProvenance(
                    submissionID: submission, clientID: "c", keyID: "k", receivedAt: received ?? at, number: number),
                at: at, in: transaction)
        }
    }

    var routes: RecordsRoutes {
        let (refused, hasRoom) = (refused, hasRoom)
        var routes = RecordsRoutes(
            database: database, access: access, limiter: limiter, published: published,
            refusals: { refused.append($0) }, admission: admission, writtenBytesPerDay: writtenBytesPerDay,
            hasRoom: { hasRoom }, exports: exports, clock: { Date() })
        routes.service.limits.time = searchTime
        routes.service.answerBytes = answerBytes
        return routes
    }

    /// The routes as the server serves them.
    var application: some ApplicationProtocol { serving(routes) }

    /// Serves other routes like the server.
    func serving(_ routes: RecordsRoutes) -> some ApplicationProtocol {
        Application(
            responder: ServingResponder(
                router: RequestDispatcher(devices: [], clients: routes.tables, surroundings: routes.surroundings),
                trustedProxies: [], isSecure: false, shutdown: ShutdownState(),
                metrics: nil, logLevel: .info), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Returns the status and body of a request with the staff token.
    func get(_ path: String, token: String? = nil, headers: HTTPFields = [:]) async throws -> (Int, JSON) {
        var fields = headers
        fields[.authorization] = "Bearer \(token.map { tokens[$0] ?? $0 } ?? self.token)"
        return try await application.test(.router) { [fields] client in
            try await client.execute(uri: path, method: .get, headers: fields) { response in
                let bytes = Array(response.body.readableBytesView)
                return (Int(response.status.code), bytes.isEmpty ? .null : try JSON(bytes))
            }
        }
    }

    /// Returns the status, type and text of a response that is not a JSON value.
    func text(_ path: String, token: String? = nil) async throws -> (status: Int, type: String?, text: String) {
        let fields: HTTPFields = [.authorization: "Bearer \(token.map { tokens[$0] ?? $0 } ?? self.token)"]
        return try await application.test(.router) { client in
            try await client.execute(uri: path, method: .get, headers: fields) { response in
                (Int(response.status.code), response.headers[.contentType], String(buffer: response.body))
            }
        }
    }

    func ids(_ path: String) async throws -> [String] {
        let (status, bundle) = try await get(path)
        #expect(status == 200)
        return (bundle["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
    }
}

func observation(
    _ id: String, code: String = "8867-4", subject: String = "p1", date: String = "2026-03-01T10:00:00+02:00"
)
    -> String
{
    """
    {"resourceType":"Observation","id":"\(id)","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"\(code)"}]},\
    "subject":{"reference":"Patient/\(subject)"},"effectiveDateTime":"\(date)","valueQuantity":{"value":72.00,"unit":"/min"},\
    "identifier":[{"system":"urn:x","value":"\(id)|v"}]}
    """
}

extension PutResult {
    /// The outcome of a put, with the version of the resource.
    var became: [Outcome: Int64] { [outcome: version] }
}
