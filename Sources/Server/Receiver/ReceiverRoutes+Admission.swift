import Core
import Hummingbird
import ServerHTTP
import Trust

extension ReceiverRoutes {
    /// The device that the request's bearer token is of (RFC 6750), or, where they are let in, the member of the staff.
    ///
    /// - Parameter isSending: whether the answer may be some seconds old, for the queue looks again.
    func authenticate(
        _ request: Request, _ context: ServerRequestContext, orStaff: Bool = false, isSending: Bool = false
    ) async throws -> Actor {
        guard request.headers.contains(.authorization) else {
            throw HTTPFailure(
                .unauthorized, "token-missing", "The request needs an access token.",
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

    /// Lets pass what the policy permits.
    func permit(_ actor: Actor, _ action: Action, _ target: Target) throws {
        let decision = access.decide(actor, action, target)
        guard decision.allowed else {
            throw HTTPFailure(.forbidden, decision.reason, "This token does not permit that.")
        }
    }

    /// The type and id that the path names, if they are what FHIR allows for them.
    func target(of context: ServerRequestContext) throws -> Target {
        let type = context.parameters.get("type")
        let id = context.parameters.get("id")
        if let type, !ResourceName.isType(type) {
            throw HTTPFailure(.badRequest, "path-invalid", "The path names no resource type.")
        }
        if let id, !ResourceName.isID(id) { throw HTTPFailure.pathWithoutID }
        return Target(resourceType: type, resourceID: id)
    }
}

extension HTTPFailure {
    static let tokenInvalid = HTTPFailure(
        .unauthorized, "token-invalid", "The access token is unknown or has expired.",
        headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#])

    static let pathWithoutID = HTTPFailure(.badRequest, "path-invalid", "The path names no resource id.")
}
