import AccessPolicy
import Core
import FHIRServer
import Foundation
import HTTPTypes
import Hummingbird
import Identity
import ServerHTTP
import Storage
import Wire

/// The document's token calls, `POST /vaca/auth` and `POST /vaca/access`, for studies that accept them.
///
/// Refusals have the form of OAuth (RFC 6749 section 5.2).
package struct LegacyTokenRoutes: Sendable {
    private let store: LegacyTokenStore
    private let address: PublicAddress
    private let limiter: RateLimiter
    private let bodies: BodyBudget
    private let refusals: @Sendable (String) async -> Void
    private let isOn: Bool
    private let clock: @Sendable () -> Date

    /// Maximum bytes of a form.
    private static let largestForm = 65_536

    /// - Parameters:
    ///   - address: the public address of the server, to which the assertions are addressed.
    ///   - isOn: whether the study accepts these calls; over TLS, or from this machine.
    ///   - refusals: called with the code of each refusal.
    package init(
        access: AccessStores, address: PublicAddress, limiter: RateLimiter, bodies: BodyBudget,
        isOn: Bool, refusals: @escaping @Sendable (String) async -> Void = { _ in }
    ) {
        store = LegacyTokenStore(access: access)
        self.address = address
        self.limiter = limiter
        self.bodies = bodies
        self.refusals = refusals
        self.isOn = isOn
        clock = access.audit.clock
    }

    /// All routes.
    package var table: RouteTable {
        RouteTable([tokens], charge: RefusalCharge(limiter: limiter, count: refusals), isBare: true)
    }

    private var tokens: GuardedRoutes {
        GuardedRoutes(rateClass: .tokenByAddress, refusal: Self.refusal) { routes in
            routes.post(RouterPath(LegacyAuthRequest.path), use: code)
            routes.post(RouterPath(LegacyAccessRequest.path), use: token)
        }
    }

    private static func refusal(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        OAuthFailure(legacyToken: error)
    }

    /// Answers with a code.
    private func code(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await form(of: request, context)
        let asked = try LegacyAuthRequest(reading: body)
        let signer = try await signer(asked.issuer, from: context)
        try asked.check(audience: address.url + LegacyAuthRequest.path, now: clock())
        try asked.verify(with: signer.key)
        try prove(signer, context)
        let issued = try await store.code(for: asked, signedBy: signer)
        let json: JSON = [
            "code": .string(issued.code),
            "expires_in": .number(JSONNumber(Int(LegacyTokenStore.codeLifetime))), "state": .string(asked.state),
            "scope": .string(issued.scopes.text),
        ]
        return .bytes(ByteBuffer(bytes: json.bytes()), mediaType: "application/json")
    }

    /// Answers with the token alone, because the document's client uses the whole body as the token.
    private func token(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let body = try await form(of: request, context)
        let asked = try LegacyAccessRequest(reading: body)
        let signer = try await signer(asked.issuer, from: context)
        try asked.verify(with: signer.key)
        try prove(signer, context)
        let issued = try await store.token(for: asked, signedBy: signer)
        return .bytes(ByteBuffer(string: issued.accessToken), mediaType: "text/plain; charset=utf-8")
    }

    /// Returns the bytes of a form. A request that is not accepted is refused before its body is read.
    private func form(of request: Request, _ context: ServerRequestContext) async throws -> Data {
        guard isOn, context.isConfidential else {
            throw PermissionError(
                .legacyOff, "This server does not accept this call, or accepts it over TLS only; use /oauth2/token.")
        }
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == CsiTokenRequest.mediaType else {
            throw PermissionError(.invalidRequest, "The body must be \(CsiTokenRequest.mediaType).")
        }
        return Data(try await bodies.collect(request, upTo: Self.largestForm).bytes)
    }

    /// Returns the csi that a request claims to be from. The header of the assertion is not signed, and is ignored.
    ///
    /// The request is charged to the pair of csi and address, because a name proves nothing.
    private func signer(_ guid: CsiGuid, from context: ServerRequestContext) async throws -> LegacySigner {
        try limiter.admit(unproved: guid.text, at: context.client, .tokenByClient)
        guard let signer = try await store.signer(guid) else { throw LegacyTokenStore.invalidClient }
        return signer
    }

    /// Charges a verified request to its csi.
    private func prove(_ signer: LegacySigner, _ context: ServerRequestContext) throws {
        context.outcome.caller = signer.guid.text
        try limiter.admit(signer.guid.text, .tokenByClient)
    }
}

extension LegacyTokenRoutes {
    /// Returns the document's read of a Patient, `GET /baseDstu3/Patient/fbcFhirId`: the only Patient of the token, as
    /// `GET /fhir/Patient/ID` returns it.
    ///
    /// - Parameter records: the FHIR API of this server.
    package static func patientTable(of records: RecordsRoutes) -> RouteTable {
        records.tableOfOnlyPatient(at: "baseDstu3/Patient/fbcFhirId") { request in
            // The document's client writes no blank between the scheme and the token.
            let scheme = "Bearer"
            guard let value = request.headers[.authorization], value.hasPrefix(scheme), !value.contains(" ") else {
                return request
            }
            var head = request.head
            head.headerFields[.authorization] = "\(scheme) \(value.dropFirst(scheme.count))"
            return Request(head: head, body: request.body)
        }
    }
}

extension OAuthFailure {
    /// Creates the answer to an error of the document's token calls.
    init(legacyToken error: any Error) {
        switch error {
        case let error as OAuthFailure: self = error
        case let error as PermissionError:
            self.init(
                error.code,
                HTTPFailure(
                    HTTPResponse.Status(code: error.status), code: error.code.replacingOccurrences(of: "_", with: "-"),
                    message: error.message))
        case let error as AccessError:
            self.init("unauthorized_client", HTTPFailure(.badRequest, code: error.code, message: error.message))
        case let failure as HTTPFailure: self.init(failure)
        case let error as StorageError where error.code == "storage-full": self.init(.storageFull)
        default: self.init(.internalError)
        }
    }
}
