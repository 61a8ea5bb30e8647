import AccessPolicy
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ResearchResults
import ServerHTTP
import Storage

/// The routes of account holders and their teams, below `/v1`.
///
/// They open the people store only. Each route is decided by the policy, and on record in the audit of that store.
package struct AccountRoutes: Sendable {
    package let store: PeopleStore
    let antispam: SecretDigest
    package let limiter: RateLimiter
    package let bodies: BodyBudget
    /// Requests that wait for changes.
    package let waits: AccountWaits
    let passwords = PasswordChecker()
    package let refusals: @Sendable (String) async -> Void
    package let clock: @Sendable () -> Date
    /// Called after a transaction that queued mails or requested a deletion.
    let onWork: @Sendable () -> Void

    /// - Parameters:
    ///   - antispam: digest of the study's word.
    ///   - waits: the requests that wait for changes.
    ///   - refusals: called with the code of each refusal.
    ///   - onWork: called when mails or deletions are in their queues.
    package init(
        store: PeopleStore, antispam: SecretDigest, limiter: RateLimiter, bodies: BodyBudget,
        waits: AccountWaits = AccountWaits(), refusals: @escaping @Sendable (String) async -> Void,
        clock: @escaping @Sendable () -> Date,
        onWork: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.antispam = antispam
        self.limiter = limiter
        self.bodies = bodies
        self.waits = waits
        self.refusals = refusals
        self.clock = clock
        self.onWork = onWork
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable(
            [open, own, archive, results, team], charge: RefusalCharge(limiter: limiter, count: refusals),
            below: "/v1", isBare: true)
    }

    /// The routes of callers who are not signed in.
    private var open: GuardedRoutes {
        GuardedRoutes(
            refusal: Self.problem, middlewares: [AntispamMiddleware(matches: antispam.matches)]
        ) { routes in
            let routes = routes.group("v1")
            routes.post("accounts", use: signUp)
            routes.post("sessions", use: signIn)
            routes.post("sessions/refresh", use: refresh)
            routes.post("password-resets", use: requestReset)
            routes.post("password-resets/confirm", use: confirmReset)
        }
    }

    private var own: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            let routes = routes.group("v1")
            routes.delete("sessions/current", use: signOut)
            let own = routes.group("me")
            own.getAndHead("", use: me)
            own.getAndHead("profile", use: profile)
            own.put("profile", use: setProfile)
            own.getAndHead("photo", use: photo)
            own.put("photo", use: setPhoto)
            own.put("email", use: setEmail)
            own.put("password", use: setPassword)
            own.put("sharing", use: setSharing)
            own.post("verification", use: verify)
            own.post("deletion", use: requestDeletion)
            own.getAndHead("access", use: access)
        }
    }

    private var archive: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            let routes = routes.group("v1")
            routes.put("me/blobs/:digest", use: putBlob)
            routes.getAndHead("me/blobs/:digest", use: blob)
            routes.post("consents", use: addConsent)
            routes.put("consents/current/document", use: addDocument)
            routes.getAndHead("consents/current", use: currentConsent)
            routes.delete("consents/current", use: withdrawConsent)
        }
    }

    private var results: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            let routes = routes.group("v1")
            routes.getAndHead("results", use: results)
            routes.put("results/:id", use: saveResult)
            routes.getAndHead("results/:id", use: result)
        }
    }

    private var team: GuardedRoutes {
        GuardedRoutes(refusal: Self.problem) { routes in
            let routes = routes.group("v1")
            routes.getAndHead("patients", use: patients)
            routes.getAndHead("patients/:id/profile", use: patientProfile)
            routes.getAndHead("patients/:id/photo", use: patientPhoto)
            routes.getAndHead("patients/:id/consents", use: patientConsents)
            routes.getAndHead("patients/:id/results", use: patientResults)
            routes.getAndHead("patients/:id/blobs/:digest", use: patientBlob)
        }
    }

    /// The refusal that reports an error to the caller.
    package static func problem(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        HTTPFailure(account: error)
    }
}

extension AccountRoutes {
    /// Maximum number of bytes of a body that is not a file or a result.
    package static let maximumBodyBytes = 128 << 10

    /// The signed-in caller.
    package struct Caller: Sendable {
        package let session: AppSession
        let person: Person

        package var account: UserAccount { session.account }
        /// The id of the account.
        package var id: String { session.account.id }
    }

    /// Returns the signed-in caller.
    ///
    /// - Throws: ``ResearchResults/CMHealthError`` 708.
    package func caller(_ request: Request, _ context: ServerRequestContext) async throws -> Caller {
        guard let token = request.bearerToken else { throw CMHealthError.userNotLoggedIn }
        let caller = try await store.database.lookUp { try self.caller(token: token, in: $0) }
        guard let caller else { throw CMHealthError.userNotLoggedIn }
        let own = Target(resourceType: "account", subject: caller.id)
        guard store.audit.decision(caller.account.actor, action: .useAccount, target: own).allowed else {
            throw CMHealthError.unauthorized
        }
        context.outcome.caller = caller.id
        return caller
    }

    /// Returns the account that is signed in with a token; nil if there is none.
    private func caller(token: String, in transaction: any SQLTransaction) throws -> Caller? {
        guard let session = try store.authorizations.appSession(accessToken: token, in: transaction),
            let person = try Person.find(session.account.id, in: transaction)
        else { return nil }
        return Caller(session: session, person: person)
    }

    /// Returns the account that is signed in with a token.
    ///
    /// - Throws: ``ResearchResults/CMHealthError`` 708.
    package func requireCaller(token: String, in transaction: any SQLTransaction) throws -> Caller {
        guard let caller = try caller(token: token, in: transaction) else { throw CMHealthError.userNotLoggedIn }
        return caller
    }

    /// Reads the JSON object of a body.
    package func object(_ request: Request, upTo limit: Int = maximumBodyBytes) async throws -> JSON {
        let body = try await bodies.collect(request, upTo: limit)
        guard let json = JSON(reading: Array(body.bytes)), json.object != nil else {
            throw HTTPFailure.bodyInvalid("The body is not a JSON object.")
        }
        return json
    }

    /// Returns a text of a body.
    func text(_ name: String, of json: JSON, upTo limit: Int = 1_024) throws -> String {
        guard let text = json[name]?.string, text.utf8.count <= limit else {
            throw HTTPFailure.bodyInvalid("The body needs \(name), a text.")
        }
        return text
    }

    /// Returns the value of a query parameter that occurs at most once.
    package func parameter(_ name: String, of request: Request) throws -> String? {
        guard let fields = request.queryForm else {
            throw HTTPFailure(.badRequest, code: "query-invalid", message: "The query is wrongly encoded.")
        }
        let values = fields.fields.filter { $0.name == name }
        guard values.count < 2 else {
            throw HTTPFailure(.badRequest, code: "query-invalid", message: "\(name) occurs twice.")
        }
        return values.first?.value
    }

    /// Checks that a query has no other parameters: an unknown one is an error, not a filter without effect.
    package func requireParameters(_ names: Set<String>, of request: Request) throws {
        guard let fields = request.queryForm, fields.fields.allSatisfy({ names.contains($0.name) }) else {
            throw HTTPFailure(
                .badRequest, code: "query-invalid",
                message:
                    "The query is wrongly encoded or has an unknown parameter; known: \(names.sorted().joined(separator: ", "))."
            )
        }
    }

    /// Returns the descriptor of a query; `""` without one.
    func descriptor(of request: Request) throws -> String {
        try ResearchResult.checked(descriptor: parameter("descriptor", of: request))
    }

    /// Returns the number of a cursor of a list in the order of numbers; 0 without one.
    func number(of request: Request) throws -> Int64 {
        guard let text = try parameter("cursor", of: request) else { return 0 }
        guard let number = Int64(text), number >= 0, String(number) == text else { throw HTTPFailure.cursorInvalid }
        return number
    }

    /// 204 (RFC 9110 section 15.3.5).
    static func noContent(_ headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.cacheControl] = "no-store"
        return Response(status: .noContent, headers: headers)
    }

    /// Returns a JSON answer that no cache may store.
    package static func answer(
        _ json: JSON, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        .bytes(ByteBuffer(bytes: json.bytes()), mediaType: "application/json", status: status, headers: headers)
    }

    /// Returns JSON that is stored as a text.
    static func answer(stored text: String, headers: HTTPFields = [:]) -> Response {
        .bytes(ByteBuffer(string: text), mediaType: "application/json", headers: headers)
    }
}
