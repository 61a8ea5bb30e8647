import AccessPolicy
import BulkExport
import Core
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import Hummingbird
import Identity
import RecordStorage
import ServerHTTP
import Storage

/// The records' FHIR API: <https://hl7.org/fhir/R4/http.html>.
package struct RecordsRoutes: Sendable {
    package var service: RecordsService
    private let scheme: String
    private let address: PublicAddress?
    private let oauthURIs: (@Sendable () -> JSON)?
    private let limiter: RateLimiter
    package var bodies: BodyBudget
    package let maximumBodyBytes: Int
    package let hasReceiver: Bool
    let refusals: RefusalCharge
    private let published: PublishedResources
    package let documents = CachedDocuments()
    private let title: String?
    private let version: String?

    /// - Parameters:
    ///   - address: the public address of the server, for the links in responses; nil to use the `Host` header.
    ///   - scheme: `https` where the server uses TLS, for the links without an address.
    ///   - oauthURIs: the extension of the CapabilityStatement with the URLs of the authorization server; nil where
    ///     there is none.
    ///   - bodies: the maximum number of bytes of bodies in memory.
    ///   - published: definitions with types and ids, which everyone may read.
    ///   - refusals: called with the code of each refusal.
    ///   - devices: returns the device of a token, where the queue's store is available.
    ///   - hasReceiver: whether a receiver has the same addresses, for writes of devices and unauthenticated
    ///     writes.
    ///   - admission: the rules for written resources.
    ///   - maximumBodyBytes: the maximum number of bytes of a resource or a Bundle.
    ///   - writtenBytesPerDay: the maximum number of bytes that an app writes to a patient's records on a day.
    ///   - hasRoom: whether the disk has space for writes.
    ///   - exports: the exports of the store; nil where exports are off.
    ///   - title: the study's title, for the page in a browser.
    ///   - version: the version of the program.
    ///   - newID: generates the ids of new resources.
    package init(
        database: any SQLDatabase, access: AccessStores, address: PublicAddress? = nil, scheme: String = "http",
        limiter: RateLimiter = RateLimiter(), bodies: BodyBudget = BodyBudget(bytes: 8 << 20),
        published: [JSONObject] = [], refusals: @escaping @Sendable (String) async -> Void = { _ in },
        devices: (@Sendable (String) async throws -> Actor?)? = nil, hasReceiver: Bool = false,
        admission: (any RecordAdmission)? = nil, maximumBodyBytes: Int = 4 << 20,
        writtenBytesPerDay: Int = 1 << 30, hasRoom: @escaping @Sendable () -> Bool = { true },
        exports: Exports? = nil,
        oauthURIs: (@Sendable () -> JSON)? = nil, title: String? = nil, version: String? = nil,
        newID: @escaping @Sendable () -> UUID = { .random() },
        clock: @escaping @Sendable () -> Date
    ) {
        let published = PublishedResources(published)
        service = RecordsService(
            database: database, access: access, devices: devices, admission: admission,
            published: published, maximumBytes: maximumBodyBytes, exports: exports, newID: newID,
            clock: clock)
        service.searches = SearchSchedule(SearchSchedule.Limits(seconds: limiter.limits[.searchSecondsByCaller]))
        // One resource always fits into a response, and into the part of the budget for one caller.
        service.answerBytes = max(AnswerAllowance.standard, maximumBodyBytes + (64 << 10))
        service.answers = AnswerBudget(bytes: 8 * service.answerBytes)
        service.quota = WriteQuota(bytes: Int64(writtenBytesPerDay))
        service.hasRoom = hasRoom
        self.hasReceiver = hasReceiver
        self.maximumBodyBytes = maximumBodyBytes
        self.refusals = RefusalCharge(limiter: limiter, count: refusals)
        self.published = published
        self.scheme = scheme
        self.address = address
        self.oauthURIs = oauthURIs
        self.limiter = limiter
        self.bodies = bodies
        self.title = title
        self.version = version
    }

    /// The middlewares of all responses at `/fhir` and below, including those of other modules. They permit the scripts
    /// of registered apps to read them, and compress them with gzip where the client accepts it.
    package var surroundings: [any ServerMiddleware] {
        let access = service.access
        return [
            CompressionMiddleware(below: "/fhir"),
            CrossOriginMiddleware.below(
                "/fhir", methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
                requestHeaders: [
                    "Prefer", "If-Match", "If-None-Match", "If-None-Exist", "If-Modified-Since", "X-Security-Context",
                ],
                answerHeaders: [
                    "ETag", "Last-Modified", "Location", "Content-Location", "Retry-After", "X-Progress",
                    "WWW-Authenticate", "X-Security-Context",
                ], openPaths: ["/fhir/metadata", "/fhir/.well-known/smart-configuration"]
            ) { try await access.clients.isOriginOfClient($0) },
            LongWorkMiddleware(executor: service.longWork),
        ]
    }

    /// All routes. Each route for GET also responds to HEAD.
    package var tables: [RouteTable] {
        let routes = GuardedRoutes(refusal: Self.refusal, middlewares: [FormatMiddleware()]) { routes in
            let fhir = routes.group("fhir")
            addReads(to: fhir)
            addWrites(to: fhir)
        }
        return [
            RouteTable([], particular: [pages], charge: refusals, isBare: true, reportsMethods: false),
            RouteTable([], particular: published.types.isEmpty ? [] : [definitions], charge: refusals),
            RouteTable([], particular: [auditEvents], charge: refusals),
            RouteTable([routes], particular: plainWrites, charge: refusals, below: "/fhir/"),
            // Last, so that the response to a wrong method lists the methods of these paths, and not those of the
            // parameter paths that also match them.
            RouteTable(literal, charge: refusals),
        ]
    }

    /// The page for a browser.
    private var pages: GuardedRoutes {
        GuardedRoutes(refusal: Self.refusalOfPage, takes: HomePage.isRequested(by:)) { routes in
            for path: RouterPath in ["", "fhir"] {
                routes.getAndHead(path) { request, context in
                    try limiter.admit(context.client, .readByAddress)
                    return homePage(request).response
                }
            }
        }
    }

    private static func refusalOfPage(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        error as? HTTPFailure ?? .internalError
    }

    /// The routes with literal paths that also match a type or an id.
    private var literal: [GuardedRoutes] {
        let reads = GuardedRoutes(refusal: Self.refusal, middlewares: [FormatMiddleware()]) { routes in
            addLiteralReads(to: routes.group("fhir"))
        }
        let exports = GuardedRoutes(refusal: Self.refusal) { routes in
            if service.exports != nil { addExports(to: routes.group("fhir")) }
        }
        let documents = GuardedRoutes(
            refusal: Self.refusal, middlewares: [CrossOriginMiddleware.open(methods: "GET, HEAD")]
        ) { routes in
            routes.getAndHead("openapi.json", use: openAPI)
            routes.on("openapi.json", method: .options, use: CrossOriginMiddleware.preflight)
        }
        return [reads, exports, documents]
    }

    /// Adds the reads of resources, histories and searches.
    private func addReads(to fhir: RouteList) {
        fhir.getAndHead(":type/:id", use: read)
        fhir.getAndHead(":type/:id/_history", use: history)
        fhir.getAndHead(":type/:id/_history/:version", use: readVersion)
        addSearches(to: fhir)
        addOperations(to: fhir)
    }

    /// Adds the reads with literal paths that also match a type or an id.
    private func addLiteralReads(to fhir: RouteList) {
        fhir.getAndHead("metadata", use: metadata)
        fhir.getAndHead("_history", use: historyOfSystem)
        fhir.getAndHead(":type/_history", use: historyOfType)
        addSearchForms(to: fhir)
    }

    /// The routes of the audit, whose rows are no records.
    private var auditEvents: GuardedRoutes {
        GuardedRoutes(refusal: Self.refusal, middlewares: [FormatMiddleware()]) {
            addAuditEvents(to: $0.group("fhir"))
        }
    }

    /// The routes for reads, for the entries of Bundles. Their bodies are parts of a body that is in memory already.
    var entryRouter: EntryRouter {
        var routes = self
        routes.bodies = BodyBudget(bytes: bodies.bytes)
        return EntryRouter(definedTypes: Set(published.types + [RecordsService.auditEvent])) { fhir in
            routes.addReads(to: fhir)
            routes.addLiteralReads(to: fhir)
            fhir.post("_search", use: routes.searchSystemByForm)
        } addDefinitions: { fhir in
            routes.addDefinitions(to: fhir)
            routes.addAuditEvents(to: fhir)
        }
    }

    /// The routes that the receiver also has: requests with a device's token go to the receiver, all others to the
    /// records.
    private var plainWrites: [GuardedRoutes] {
        // The path of an export matches that of a type, and these routes are matched first.
        let exports = GuardedRoutes(refusal: Self.refusal, takes: isForRecords) { routes in
            if service.exports != nil { routes.group("fhir").post("$export", use: exportAll) }
        }
        let writes = GuardedRoutes(refusal: Self.refusal, takes: isForRecords, middlewares: [FormatMiddleware()]) {
            addPlainWrites(to: $0.group("fhir"))
        }
        return [exports, writes]
    }

    /// The routes of definitions, which everyone may read.
    private var definitions: GuardedRoutes {
        GuardedRoutes(refusal: Self.refusal, middlewares: [FormatMiddleware()]) {
            addDefinitions(to: $0.group("fhir"))
        }
    }

    private func addDefinitions(to fhir: RouteList) {
        for type in published.types {
            let path = RouterPath(type)
            fhir.getAndHead(path) { request, context in
                try await searchDefinitions(type, request, in: context, parameters: try request.searchParameters)
            }
            fhir.post(path.appendingPath("_search")) { request, context in
                let form = try await request.searchForm(within: bodies)
                return try await searchDefinitions(
                    type, request, in: context, parameters: try request.searchParameters + form)
            }
            fhir.getAndHead(path.appendingPath(":id")) { request, context in
                try await readDefinition(type, request, in: context)
            }
        }
    }
}

extension RecordsRoutes {
    static func refusal(_ error: any Error, _ request: Request) -> any HTTPRefusal { RecordsFailure(error) }

    /// The base URL of this API, for links.
    package func url(asked request: Request) -> String { base(asked: request) + "/fhir" }

    private func base(asked request: Request) -> String { address?.url ?? request.address(scheme: scheme) }

    private func homePage(_ request: Request) -> HomePage {
        HomePage(title: title, version: version, base: base(asked: request), hasAuthorization: oauthURIs != nil)
    }

    private func metadata(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let format = request.answerFormat
        return try answer(
            "metadata \(format.mediaType) \(url(asked: request))", mediaType: format.mediaType, to: request,
            in: context,
            vary: "Accept"
        ) { try format.bytes(of: capabilities(request).json) }
    }

    private func openAPI(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try answer("openapi \(url(asked: request))", mediaType: "application/json", to: request, in: context) {
            OpenAPIDocument(capabilities(request), url: url(asked: request)).json.bytes()
        }
    }

    /// Responds with a document that does not depend on the caller. It is generated once, and its bytes are charged to
    /// the address.
    ///
    /// - Parameter key: the key of the document among all documents.
    private func answer(
        _ key: String, mediaType: String, to request: Request, in context: ServerRequestContext,
        vary field: String? = nil,
        generate: () throws -> [UInt8]
    ) throws -> Response {
        // The server generates nothing for a caller whose bucket is empty.
        if case .retry(let seconds) = limiter.check(context.client, .readByAddress, cost: 0) {
            throw HTTPFailure.rateLimited(retryAfter: seconds)
        }
        let document = try documents.document(key, mediaType: mediaType) { ByteBuffer(bytes: try generate()) }
        let response = document.response(to: request, vary: field)
        limiter.charge(context.client, .readByAddress, answering: response)
        return response
    }

    private func capabilities(_ request: Request) -> CapabilityStatement {
        CapabilityStatement.records(
            date: service.clock(), url: url(asked: request), published: published.definedTypes,
            hasExports: service.exports != nil, oauthURIs: oauthURIs?(), version: version)
    }

    private func read(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await read(context.name("type"), id: context.name("id"), request, in: context)
    }

    private func read(
        _ type: String, id: String, _ request: Request, in context: ServerRequestContext
    ) async throws -> Response {
        let caller = try await recognize(request, context)
        let reservation = try await service.reservation(for: caller.grant)
        let record = try await service.reached(at: url(asked: request)).read(type: type, id: id, by: caller)
        guard !request.knows(record) else {
            return Response(status: .notModified, headers: Response.headers(of: record))
        }
        guard let subset = try ResourceSubset(of: request.searchParameters) else {
            return try whole(record, for: request, reservation: reservation)
        }
        return try Response(record, showing: subset, as: request.answerFormat, reservation: reservation)
    }

    private func readVersion(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let caller = try await recognize(request, context)
        let reservation = try await service.reservation(for: caller.grant)
        let record = try await service.reached(at: url(asked: request)).read(
            type: context.name("type"), id: context.name("id"), version: context.name("version"), by: caller)
        guard let subset = try ResourceSubset(of: request.searchParameters) else {
            return try whole(record, for: request, reservation: reservation)
        }
        return try Response(record, showing: subset, as: request.answerFormat, reservation: reservation)
    }

    /// Returns a whole version of a record: a Binary as its content or as a resource, as the client accepts. An entry
    /// of a Bundle is always a resource.
    private func whole(
        _ record: StoredRecord, for request: Request, reservation: AnswerReservation?
    ) throws -> Response {
        if record.type == RawBinary.type, EntryScope.current == nil {
            let resource = try record.resource()
            if request.acceptsRaw(contentType: RawBinary.contentType(of: resource)) {
                return try Response(raw: resource, of: record)
            }
        }
        return try Response(record, as: request.answerFormat, reservation: reservation)
    }

    private func history(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let page = try HistoryPage(try request.searchParameters, strict: request.isStrict)
        let url = url(asked: request)
        return try await Response.page(
            try await service.reached(at: url).history(
                type: context.name("type"), id: context.name("id"), page: page, url: url, by: grant
            ), as: request.answerFormat, on: service.longWork)
    }

    private func historyOfSystem(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await history(ofType: nil, request, context)
    }

    private func historyOfType(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await history(ofType: context.name("type"), request, context)
    }

    private func history(
        ofType type: String?, _ request: Request, _ context: ServerRequestContext
    ) async throws -> Response {
        let grant = try await authenticate(request, context)
        let query = try HistoryQuery(type: type, parameters: try request.searchParameters, strict: request.isStrict)
        return try await Response.page(
            try await service.reached(at: url(asked: request)).history(
                ofType: type, query, url: url(asked: request), by: grant
            ), as: request.answerFormat, on: service.longWork)
    }

    private func readDefinition(
        _ type: String, _ request: Request, in context: ServerRequestContext
    ) async throws -> Response {
        let id = context.name("id")
        guard let resource = published.read(type: type, id: id) else {
            guard isStored(type, request) else { throw RecordsFailure.notFound }
            return try await read(type, id: id, request, in: context)
        }
        let format = request.answerFormat
        let parameters = try request.searchParameters
        let subset = try ResourceSubset(of: parameters)
        return try answer(
            "definition \(type)/\(id) \(format.mediaType) \(Self.key(parameters))", mediaType: format.mediaType,
            to: request, in: context, vary: "Accept"
        ) { try format.bytes(of: (subset?.of(resource) ?? resource).json) }
    }

    private func searchDefinitions(
        _ type: String, _ request: Request, in context: ServerRequestContext,
        parameters: [(name: String, value: String)]
    ) async throws -> Response {
        if isStored(type, request) { return try await searchStored(type, request, in: context, parameters: parameters) }
        let (format, url) = (request.answerFormat, url(asked: request))
        let asked = "search \(type) \(request.isStrict) \(format.mediaType) \(url) \(Self.key(parameters))"
        return try answer(asked, mediaType: format.mediaType, to: request, in: context, vary: "Accept") {
            try format.bytes(
                of: published.search(
                    type: type, parameters: parameters, strict: request.isStrict, now: service.clock(), url: url
                ).json)
        }
    }

    /// Returns the parameters as a part of a document's key.
    private static func key(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Whether resources of the type are stored as well, and the request has a token or is an entry of a Bundle.
    private func isStored(_ type: String, _ request: Request) -> Bool {
        PublishedResources.storedTypes.contains(type) && (request.bearerToken != nil || EntryScope.current != nil)
    }

    /// Searches a type with stored resources; the published ones follow the stored ones.
    private func searchStored(
        _ type: String, _ request: Request, in context: ServerRequestContext,
        parameters: [(name: String, value: String)]
    ) async throws -> Response {
        let caller = try await recognize(request, context)
        let url = url(asked: request)
        func defined(_ parameters: [(name: String, value: String)]) throws -> FHIR.Bundle {
            var bundle = try published.search(
                type: type, parameters: parameters, strict: request.isStrict, now: service.clock(), url: url)
            bundle.link = bundle.link.map { link in
                var link = link
                link.url = link.url?.replacingOccurrences(of: "_cursor=", with: "_cursor=\(Self.definedCursor)")
                return link
            }
            return bundle
        }
        if let cursor = parameters.last(where: { $0.name == "_cursor" })?.value, cursor.hasPrefix(Self.definedCursor) {
            // 1. A page after the stored resources.
            var bundle = try defined(
                parameters.filter { $0.name != "_cursor" } + [
                    ("_cursor", String(cursor.dropFirst(Self.definedCursor.count)))
                ])
            bundle.total = nil
            return try Response(bundle.json, as: request.answerFormat)
        }
        // 2. A page of stored resources. The last one may also contain published ones.
        let page = try await service.reached(at: url).search(
            .type(type), parameters: parameters, strict: request.isStrict, url: url, by: caller)
        let query = try SearchQuery(
            type: type, parameters: parameters, strict: request.isStrict, now: service.clock(), ownBases: [url])
        guard !page.head.link.contains(where: { $0.relation == "next" }),
            let found = try? defined(
                parameters.filter { $0.name != "_count" }
                    + [("_count", String(max(1, query.count - page.entries.count)))])
        else { return try await Response.page(page, as: request.answerFormat, on: service.longWork) }
        let room = query.count - page.entries.count
        var bundle = try page.bundle
        bundle.total = bundle.total.map { $0 + (found.total ?? 0) }
        if query.isCountOnly {
            // The response has only the total.
        } else if room > 0 {
            bundle.entry += found.entry
            bundle.link += found.link.filter { $0.relation == "next" }
        } else if !found.entry.isEmpty {
            let start = Self.definedCursor + PageCursor(values: [], number: 0).text
            bundle.link.append(
                FHIR.Bundle.Link(
                    relation: "next",
                    url: RecordsService.address(url, path: type, parameters: query.used + [("_cursor", start)])))
        }
        return try Response(bundle.json, as: request.answerFormat)
    }

    /// The prefix of a cursor in the published resources of a type that stores resources as well.
    private static let definedCursor = "defined-"

    /// Authenticates the caller, possibly from the token cache, and applies the rate limit of the address. The grant
    /// must be checked again in the transaction.
    func recognize(_ request: Request, _ context: ServerRequestContext) async throws -> AuthenticatedCaller {
        let caller = try await service.caller(bearer: request.bearerToken)
        try admit(caller.grant, context)
        return caller
    }

    /// Authenticates the caller, and applies the rate limit of the address.
    package func authenticate(_ request: Request, _ context: ServerRequestContext) async throws -> AccessGrant {
        let grant = try await service.grant(bearer: request.bearerToken)
        try admit(grant, context)
        return grant
    }

    private func admit(_ grant: AccessGrant, _ context: ServerRequestContext) throws {
        // The Bundle was counted with its entries.
        guard EntryScope.current == nil else { return }
        context.outcome.caller = grant.actor.id
        try limiter.admit(context.client, .readByAddress)
    }
}

/// Refuses a request that accepts no supported format.
private struct FormatMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A Binary may also be sent as its content, with any media type.
        guard request.acceptedFormat != nil || RawBinary.isAddressed(by: request) else {
            throw RecordsFailure.notAcceptable
        }
        return try await next(request, context)
    }
}

extension ServerRequestContext {
    /// Returns the text in the path for a parameter that the route has.
    package func name(_ parameter: String) -> String { parameters.get(parameter) ?? "" }
}
