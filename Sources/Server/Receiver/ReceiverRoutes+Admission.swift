import AccessPolicy
import Core
import Hummingbird
import ServerHTTP

extension ReceiverRoutes {
    /// Authenticates the device by the request's bearer token (RFC 6750), or also a member of staff.
    ///
    /// - Parameter isSending: whether a cached result suffices, because the queue checks the client again.
    func authenticate(
        _ request: Request, _ context: ServerRequestContext, orStaff: Bool = false, isSending: Bool = false
    ) async throws -> Actor {
        guard request.headers.contains(.authorization) else {
            throw HTTPFailure(
                .unauthorized, code: "token-missing", message: "The request needs an access token.",
                headers: [.wwwAuthenticate: "Bearer"])
        }
        guard let token = request.bearerToken,
            let actor = try await bearer(of: token, orStaff: orStaff, isSending: isSending)
        else { throw HTTPFailure.tokenInvalid }
        context.outcome.caller = actor.id
        return actor
    }

    private func bearer(of token: String, orStaff: Bool, isSending: Bool) async throws -> Actor? {
        let device =
            try await isSending ? access.authenticateSender(bearer: token) : access.authenticate(bearer: token)
        if let device { return device }
        return orStaff ? try await configuration.authenticateStaff?(token) : nil
    }

    /// Throws unless the policy permits the action.
    func permit(_ actor: Actor, action: Action, target: Target) throws {
        let decision = access.decide(actor, action: action, target: target)
        guard decision.allowed else {
            throw HTTPFailure(.forbidden, code: decision.reason, message: "This token does not permit this.")
        }
    }

    /// Returns the type and id of the path, if they are valid in FHIR.
    func target(of context: ServerRequestContext) throws -> Target {
        let type = context.parameters.get("type")
        let id = context.parameters.get("id")
        if let type, !ResourceName.isType(type) {
            throw HTTPFailure(.badRequest, code: "path-invalid", message: "The path contains no resource type.")
        }
        if let id, !ResourceName.isID(id) { throw HTTPFailure.pathWithoutID }
        return Target(resourceType: type, resourceID: id)
    }
}

extension HTTPFailure {
    static let tokenInvalid = HTTPFailure(
        .unauthorized, code: "token-invalid", message: "The access token is unknown or has expired.",
        headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])

    static let pathWithoutID = HTTPFailure(
        .badRequest, code: "path-invalid", message: "The path contains no resource id.")
}
