import AccessPolicy
import Audit
import Authorization
import Core
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP
import Storage

/// The page `/wallet`: a participant who signed in sees and ends the access to their records, and creates a wallet code.
package struct OwnAccessRoutes: Sendable {
    let access: AccessStores
    let sessions: PageSessions
    /// The study's title.
    let title: String
    let limiter: RateLimiter
    let permissions: PermissionStore
    let codes: WalletCodes
    let version: String
    let refusals: @Sendable (String) async -> Void
    private var reader: OwnAccessReader { OwnAccessReader(access: access) }

    /// - Parameters:
    ///   - sessions: the sessions of the authorization server.
    ///   - title: the study's title.
    ///   - version: the version of the server.
    ///   - refusals: called with the code of each refusal.
    package init(
        access: AccessStores, sessions: PageSessions, title: String, limiter: RateLimiter,
        permissions: PermissionStore, codes: WalletCodes, version: String,
        refusals: @escaping @Sendable (String) async -> Void = { _ in }
    ) {
        self.access = access
        self.sessions = sessions
        self.title = title
        self.limiter = limiter
        self.permissions = permissions
        self.codes = codes
        self.version = version
        self.refusals = refusals
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable([pages, documents], charge: RefusalCharge(limiter: limiter, count: refusals), isBare: true)
    }

    private var pages: GuardedRoutes {
        GuardedRoutes(refusal: Self.page) { routes in
            routes.getAndHead("wallet", use: show)
            routes.getAndHead("wallet/download", use: download)
            routes.post("wallet/sign-in", use: signIn)
            routes.post("wallet/sign-out", use: signOut)
            routes.post("wallet/end", use: end)
            routes.post("wallet/code", use: code)
        }
    }

    private var documents: GuardedRoutes {
        GuardedRoutes(
            refusal: { error, _ in PermissionFailure(error) },
            middlewares: [CrossOriginMiddleware.open(methods: "GET")],
            add: { routes in
                routes.getAndHead("util/openapi.json") { _, _ in
                    let document = PermissionsOpenAPI(url: sessions.baseURL, version: version)
                    return .bytes(
                        ByteBuffer(bytes: document.json.bytes()), mediaType: "application/json",
                        cacheControl: "public, max-age=300")
                }
                routes.on("util/openapi.json", method: .options, use: CrossOriginMiddleware.preflight)
            })
    }

    private static func page(_ error: any Error, _ request: Request) -> any HTTPRefusal { PageFailure(error) }

    // MARK: - Reading

    private func show(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        guard let session = try await sessions.session(of: request) else {
            return signInPage(for: request, action: "wallet/sign-in")
        }
        let patient = try self.patient(of: session, context)
        let query = request.queryForm
        let position = query?["before"].flatMap { Int64($0) }
        guard let query, query.fields.isEmpty || (query.fields.count == 1 && position != nil) else {
            throw PageFailure.unreadable
        }
        let found = try await read(of: patient, session, lookCount: OwnAccess.lookCount, before: position)
        let proof = sessions.proof(for: request)
        return OwnAccessPage(
            account: session.account, access: found, title: title, proof: proof, isFirst: position == nil
        ).page.response()
    }

    private func download(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try limiter.admit(context.client, .readByAddress)
        guard let session = try await sessions.session(of: request) else {
            return signInPage(for: request, action: "sign-in", status: .forbidden)
        }
        let patient = try self.patient(of: session, context)
        let found = try await read(of: patient, session, lookCount: OwnAccess.fileLookCount)
        return .bytes(
            ByteBuffer(bytes: found.json(of: patient, now: access.audit.clock()).bytes()),
            mediaType: "application/json",
            headers: [.contentDisposition: "attachment; filename=\"access.json\"", .contentTypeOptions: "nosniff"])
    }

    /// Reads the access, with its row of the audit.
    private func read(
        of patient: String, _ session: UserSession, lookCount: Int, before position: Int64? = nil
    ) async throws -> OwnAccess {
        let account = session.account
        let target = Target(resourceType: "Patient", resourceID: patient, subject: patient)
        guard try await access.audit.decide(account.actor, action: .listPermissions, target: target).allowed else {
            throw Self.otherRole
        }
        let reader = reader
        return try await access.audit.database.lookUp { transaction in
            try reader.read(
                of: patient, account: account.id, lookCount: lookCount, before: position, in: transaction)
        }
    }

    // MARK: - Signing in and out

    private func signIn(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let fields = try await sessions.form(of: request)
        guard let signedIn = try await sessions.signIn(fields, of: request, from: context.client) else {
            return signInPage(for: request, action: "sign-in", message: SignInPage.wrong, status: .forbidden)
        }
        var response = Self.back
        response.headers[values: .setCookie] = signedIn.cookies
        return response
    }

    private func signOut(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let fields = try await sessions.form(of: request)
        try sessions.requireProof(fields, of: request)
        try await sessions.signOut(request)
        return Self.back
    }

    /// - Parameter action: the address of the form, relative to that of the request.
    private func signInPage(
        for request: Request, action: String, message: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        sessions.signInPage(for: request, status: status) { proof in
            SignInPage(introduction: .ownAccess(study: title), action: action, proof: proof, message: message).page
        }
    }

    // MARK: - Deeds

    private func end(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (session, patient, fields) = try await signedInForm(request, context)
        guard let kind = fields["kind"].flatMap(OwnAccess.Entry.Kind.init(rawValue:)), let id = fields["id"],
            ResourceName.isID(id)
        else { throw PageFailure.unreadable }
        let (actor, access) = (session.account.actor, access)
        let isEnded = try await access.audit.database.write { transaction in
            switch kind {
            case .permission: try endPermission(id, of: patient, by: actor, in: transaction)
            case .approval: try access.authorizations.endApproval(id, of: patient, by: actor, in: transaction)
            }
        }
        // An access that has ended meanwhile is what the person wants.
        if !isEnded { await refusals("access-ended") }
        return Self.back
    }

    private func code(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (session, patient, _) = try await signedInForm(request, context)
        let code = try await codes.create(forPatient: patient, by: session.account.actor).code
        return OwnAccessPage.code(code, minutes: Int(WalletCodes.personLifetime / 60)).response()
    }

    /// Ends a permission for the records of a Patient.
    ///
    /// - Returns: false if there is none in force or to come with this id.
    private func endPermission(
        _ id: String, of patient: String, by actor: Actor, in transaction: any SQLTransaction
    ) throws -> Bool {
        guard let permission = try permissions.permission(id, in: transaction), permission.patient == patient else {
            return false
        }
        try access.audit.require(
            actor, .endPermission, target: Target(resourceType: "Consent", resourceID: id, subject: patient),
            message: "Only the person themselves can end this permission.", in: transaction)
        let ended = try permissions.end(
            permission: id, by: actor.id, at: access.audit.clock(), in: transaction)
        return !ended.permissions.isEmpty
    }

    private func signedInForm(
        _ request: Request, _ context: ServerRequestContext
    ) async throws -> (session: UserSession, patient: String, fields: FormFields) {
        try limiter.admit(context.client, .readByAddress)
        let fields = try await sessions.form(of: request)
        guard let session = try await sessions.session(of: request) else {
            throw PageFailure(
                .forbidden, code: "signed-out", message: "You are not signed in any more. Sign in again at /wallet.")
        }
        try sessions.requireProof(fields, of: request)
        return (session, try patient(of: session, context), fields)
    }

    private func patient(of session: UserSession, _ context: ServerRequestContext) throws -> String {
        context.outcome.caller = session.account.id
        guard session.account.role == .participant, let patient = session.account.patient else {
            throw Self.otherRole
        }
        return patient
    }

    private static let otherRole = PageFailure(
        .forbidden, code: "role-not-permitted",
        message: "This page is for participants. Your account has no records of its own.")

    /// Returns to the page, whatever the public path of the server is.
    private static var back: Response {
        Response(status: .seeOther, headers: [.location: "../wallet", .cacheControl: "no-store"])
    }
}
