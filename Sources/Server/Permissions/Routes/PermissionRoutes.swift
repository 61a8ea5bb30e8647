import Core
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Wire

/// The routes of csis: the calls without a signature below `/util`, and the signed calls.
package struct PermissionRoutes: Sendable {
    let calls: CsiCalls
    let limiter: RateLimiter
    let bodies: BodyBudget
    let refusals: @Sendable (String) async -> Void
    let version: String

    /// - Parameters:
    ///   - calls: the pipeline of signed calls.
    ///   - refusals: called with the code of each refusal.
    ///   - version: the version of the server.
    package init(
        calls: CsiCalls, limiter: RateLimiter = RateLimiter(), bodies: BodyBudget = BodyBudget(bytes: 8 << 20),
        refusals: @escaping @Sendable (String) async -> Void = { _ in }, version: String
    ) {
        self.calls = calls
        self.limiter = limiter
        self.bodies = bodies
        self.refusals = refusals
        self.version = version
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable([utilities, signed], charge: RefusalCharge(limiter: limiter, count: refusals), isBare: true)
    }

    private var utilities: GuardedRoutes {
        GuardedRoutes(refusal: Self.failure) { routes in
            for path in UtilityPath.allCases {
                routes.getAndHead(RouterPath(path.rawValue)) { request, context in
                    try await answer(to: path, context)
                }
            }
        }
    }

    private var signed: GuardedRoutes {
        GuardedRoutes(refusal: Self.failure) { routes in
            for path in CsiPath.allCases {
                routes.post(RouterPath(path.rawValue)) { request, context in
                    try await answer(to: path, request, context)
                }
            }
        }
    }

    private static func failure(_ error: any Error, _ request: Request) -> any HTTPRefusal { PermissionFailure(error) }

    private static func ok(_ json: JSON) -> Response {
        .bytes(ByteBuffer(bytes: json.bytes()), mediaType: "application/json")
    }

    // MARK: - Without a signature

    private func answer(to path: UtilityPath, _ context: ServerRequestContext) async throws -> Response {
        let audit = calls.audit
        switch path {
        case .ping:
            return Self.ok(["status": "ok", "name": "Tributary", "version": .string(version)])
        case .getTime:
            return Self.ok(ServerTimeAnswer(time: CsiInstant(audit.clock())).json)
        case .getGloballyUniqueIdentifier:
            try limiter.admit(context.client, .readByAddress)
            let guids = try await audit.database.lookUp { try CsiGuids(in: $0) }
            guard let guid = guids.issue(now: audit.clock(), random: audit.random) else {
                throw HTTPFailure.internalError
            }
            return Self.ok(NewGuidAnswer(guid: guid).json)
        }
    }

    // MARK: - Signed

    private func answer(
        to path: CsiPath, _ request: Request, _ context: ServerRequestContext
    ) async throws -> Response {
        // 1. The form of the request.
        try Self.requireJSON(request)
        let includesEnded = try Self.includesEnded(request, path)
        let body = try await bodies.collect(request, upTo: SignedCsiRequest.maximumBytes)
        let call = try calls.read(body.bytes, path: path, isConfidential: context.isConfidential)
        // 2. The rates, before the signature costs time. The caller is unproved: a stranger must not use up the rate of a
        //    csi from another address.
        try limiter.admit("csi calls from \(context.client.rateKey)", .tokenByAddress)
        if call.registrationKey == nil {
            try limiter.admit(unproved: call.csi.text, at: context.client, .tokenByClient)
        } else {
            try limiter.admit(context.client, .csiRegistrationByAddress)
        }
        // 3. The call.
        do {
            let answer = try await calls.perform(call, includesEnded: includesEnded)
            context.outcome.caller = call.csi.text
            return Self.ok(answer)
        } catch let refusal as PermissionError {
            if call.registrationKey == nil, refusal.isOfProvedCaller { context.outcome.caller = call.csi.text }
            throw refusal
        }
    }

    /// Throws 415 for a body of another media type than JSON.
    private static func requireJSON(_ request: Request) throws(PermissionError) {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/json" else {
            throw PermissionError(.unsupportedMediaType, "The body must be application/json.")
        }
    }

    /// Returns whether a list shall contain ended and expired permissions: `?all=true`. Other parameters are refused.
    private static func includesEnded(_ request: Request, _ path: CsiPath) throws(PermissionError) -> Bool {
        guard let fields = request.queryForm?.fields, fields.count <= 1 else { throw queryInvalid }
        guard let field = fields.first else { return false }
        guard path == .fetchGivenByMe || path == .fetchGivenToMe, field.name == "all",
            field.value == "true" || field.value == "false"
        else { throw queryInvalid }
        return field.value == "true"
    }

    private static let queryInvalid = PermissionError(
        .malformed, "The calls that list permissions have the parameter all=true; other calls have none.")
}

extension PermissionError {
    /// Whether the refusal is for a caller whose signature and nonce were accepted.
    fileprivate var isOfProvedCaller: Bool {
        switch reason {
        case .unknownCsi, .csiRevoked, .badSignature, .nonceReused: false
        default: true
        }
    }
}
