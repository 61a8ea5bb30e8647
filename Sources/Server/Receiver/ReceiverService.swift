import Foundation
import Logging
import ServerHTTP
import Storage
import Trust

/// The receiver without its carrier: it takes requests as values and gives responses as values.
///
/// It checks who sends, stores the ciphertext durably and only then says so. It holds no key that could open it.
public struct ReceiverService: Sendable {
    let configuration: ReceiverConfiguration
    let access: DeviceAccess
    let queue: any SubmissionQueue
    let refusals: RefusalCharge
    let clock: @Sendable () -> Date
    let newID: @Sendable () -> UUID

    /// - Parameters:
    ///   - refusals: counts what was refused.
    ///   - clock: tells the time.
    ///   - newID: makes the submission ids of what is sealed on arrival.
    public init(
        configuration: ReceiverConfiguration, access: DeviceAccess, queue: any SubmissionQueue,
        refusals: RefusalCounter, clock: @escaping @Sendable () -> Date,
        newID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.configuration = configuration
        self.access = access
        self.queue = queue
        self.refusals = RefusalCharge(limiter: configuration.limiter) { await refusals.count($0) }
        self.clock = clock
        self.newID = newID
    }

    /// Answers a request to one of the receiver's endpoints. Never throws: what goes wrong is a response.
    public func respond(to request: ReceiverRequest, at endpoint: ReceiverRoute.Endpoint) async -> ReceiverResponse {
        var clientID: String?
        do {
            try checkRate(of: request, at: endpoint)
            var response: ReceiverResponse
            switch endpoint {
            case .register: response = try await register(request)
            case .token: response = try await issueToken(request)
            case .submit: response = try await submit(request, &clientID)
            case .plainWrite: response = try await writePlain(request, &clientID)
            case .questionnaire: response = try await questionnaire(request, &clientID)
            case .keys: response = try await publishedKeys()
            case .deliveries: response = try await deliveries(request, &clientID)
            case .health: response = Self.healthy
            }
            response.clientID = response.clientID ?? clientID
            return response
        } catch {
            var failure = await charged(ReceiverFailure(error), to: request, at: endpoint, clientID: clientID)
                .styled(for: endpoint)
            // A submission is settled only by an answer that names it.
            if endpoint == .submit || endpoint == .plainWrite {
                failure.submission = failure.submission ?? request.submission
            }
            var response = failure.response
            response.clientID = clientID
            return response
        }
    }

    private static let healthy = ReceiverResponse(
        status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
        body: Data(#"{"status":"ok"}"#.utf8))
}

// MARK: - What several endpoints ask first

extension ReceiverService {
    /// Lets pass who has not asked too often for what is given to anybody.
    func checkRate(of request: ReceiverRequest, at endpoint: ReceiverRoute.Endpoint) throws {
        guard endpoint == .keys || endpoint == .health else { return }
        try Self.pass(configuration.limiter.check(request.address, .readByAddress))
    }

    /// The failure, or that the address must wait, for it has used up what it may fail.
    private func charged(
        _ failure: ReceiverFailure, to request: ReceiverRequest, at endpoint: ReceiverRoute.Endpoint, clientID: String?
    ) async -> ReceiverFailure {
        let seconds = await refusals.charge(
            status: failure.status, code: failure.code, to: request.address,
            endpoint == .token ? .tokenByAddress : .unauthenticatedByAddress, isKnown: clientID != nil)
        return seconds.map { ReceiverFailure(HTTPFailure.rateLimited(retryAfter: $0)) } ?? failure
    }

    static func pass(_ decision: RateLimiter.Decision) throws {
        if case .retry(let seconds) = decision { throw HTTPFailure.rateLimited(retryAfter: seconds) }
    }

    /// Lets pass who knows the study's word.
    func checkAntispam(_ request: ReceiverRequest) throws {
        guard let word = request.antispam, configuration.antispam.matches(word) else {
            throw ReceiverFailure.problem(401, "antispam-invalid", "The header Antispam is missing or wrong.")
                .adding("WWW-Authenticate", "Antispam")
        }
    }

    /// The device that the request's bearer token is of (RFC 6750), or, where they are let in, the member of the staff.
    ///
    /// - Parameter isSending: whether the answer may be some seconds old, for the queue looks again.
    func authenticate(
        _ request: ReceiverRequest, orStaff: Bool = false, isSending: Bool = false
    ) async throws -> Actor {
        guard let authorization = request.authorization else {
            throw ReceiverFailure.problem(401, "token-missing", "The request needs an access token.")
                .adding("WWW-Authenticate", "Bearer")
        }
        if let token = Self.credentials(authorization, scheme: "bearer") {
            let device =
                try await isSending
                ? access.authenticateSender(bearer: token) : access.authenticate(bearer: token)
            if let device { return device }
            if orStaff, let staff = try await configuration.authenticateStaff?(token) { return staff }
        }
        throw Self.tokenInvalid
    }

    static let tokenInvalid = ReceiverFailure.problem(
        401, "token-invalid", "The access token is unknown or has expired."
    ).adding("WWW-Authenticate", #"Bearer error="invalid_token""#)

    /// What follows the scheme in an `Authorization` header; nil if it is of another scheme.
    static func credentials(_ authorization: String, scheme: String) -> String? {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        return parts.count == 2 && parts[0].lowercased() == scheme ? String(parts[1]) : nil
    }

    /// Lets pass what the policy permits.
    func permit(_ actor: Actor, _ action: Action, _ target: Target) throws {
        let decision = access.decide(actor, action, target)
        guard decision.allowed else {
            throw ReceiverFailure.problem(403, decision.reason, "This token does not permit that.")
        }
    }

    /// The whole body, if it is no larger than `limit` bytes.
    func readBody(_ request: ReceiverRequest, limit: Int) async throws -> ReceiverRequest.Body {
        if let encoding = request.contentEncoding, encoding.lowercased() != "identity" {
            throw ReceiverFailure.problem(415, "encoding-not-supported", "The body must not be compressed.")
        }
        if let length = request.contentLength, length > limit { throw ReceiverRequest.BodyTooLarge() }
        let body = try await request.readBody(limit)
        guard body.bytes.count <= limit else { throw ReceiverRequest.BodyTooLarge() }
        return body
    }

    /// The type and id that the path names, if they are what FHIR allows for them.
    func checkPath(_ request: ReceiverRequest) throws {
        if let type = request.type {
            guard (1...64).contains(type.utf8.count), type.utf8.allSatisfy(\.isASCIILetter) else {
                throw ReceiverFailure.problem(400, "path-invalid", "The path names no resource type.")
            }
        }
        if let id = request.id {
            guard Self.isResourceID(id) else {
                throw ReceiverFailure.problem(400, "path-invalid", "The path names no resource id.")
            }
        }
    }

    /// https://hl7.org/fhir/R4/datatypes.html#id
    static func isResourceID(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                $0.isASCIILetter || (48...57).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool {
        (65...90).contains(self) || (97...122).contains(self)
    }
}
