import Core
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Wire

/// `POST /HUB/messages`: accepts events of third-party devices and clouds, as an event hub does.
///
/// A request is answered with 201 when its events are durable. They are processed later.
package struct GatewayRoutes: Sendable {
    private let database: any SQLDatabase
    private let writer: GroupedWriter
    private let limiter: RateLimiter
    private let bodies: BodyBudget
    private let charge: RefusalCharge
    private let secret: @Sendable () -> HubSecret?
    private let arrivalSignal: ArrivalSignal
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - secret: returns the secret from which the keys of hubs are derived; nil if no key was made.
    ///   - arrivalSignal: signalled when events have arrived.
    ///   - refusals: called with the code of each refusal.
    package init(
        database: any SQLDatabase, limiter: RateLimiter, bodies: BodyBudget,
        secret: @escaping @Sendable () -> HubSecret?,
        arrivalSignal: ArrivalSignal, refusals: @escaping @Sendable (String) async -> Void,
        clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        writer = GroupedWriter(database: database)
        self.limiter = limiter
        self.bodies = bodies
        charge = RefusalCharge(limiter: limiter, count: refusals)
        self.secret = secret
        self.arrivalSignal = arrivalSignal
        self.clock = clock
    }

    /// The route.
    package var table: RouteTable {
        let route = GuardedRoutes(refusal: Self.refusal) { routes in
            routes.post(":hub/\(EventHubName.messages)", use: post)
        }
        return RouteTable([route], charge: charge)
    }

    @Sendable private static func refusal(_ error: any Error, _ request: Request) -> any HTTPRefusal {
        HTTPFailure(ofGateway: error)
    }

    @Sendable private func post(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        // 1. Authenticate before reading the body.
        let name = try context.parameters.require("hub")
        let hub = try await admit(request, to: name)
        try limiter.admit("device-hub:" + hub, .eventsByHub)
        // 2. Store the events durably before answering.
        let body = try await bodies.collect(request, upTo: IncomingEvents.maximumBytes)
        defer { withExtendedLifetime(body) {} }
        let mediaType = request.headers[.contentType]?.split(separator: ";").first?.lowercased()
        let incoming = try IncomingEvents(body.bytes, isBatch: mediaType == EventHubName.batchMediaType)
        let at = clock()
        let isTaken = try await writer.write { transaction in
            try GatewayEvents(transaction: transaction).add(incoming.events, to: hub, at: at)
        }
        guard isTaken else {
            throw HTTPFailure(
                .tooManyRequests, code: "device-hub-full",
                message:
                    "The queue of this hub is full: events wait to be recorded, for registrations or for the study team.",
                headers: [.retryAfter: "60"])
        }
        await arrivalSignal.send()
        return Response(status: .created)
    }

    /// Returns the hub that the request's signature authorizes.
    private func admit(_ request: Request, to name: String) async throws -> String {
        let hub = try await database.lookUp { try DeviceHub.named(name, in: $0) }
        guard let hub else { throw HTTPFailure(.notFound, code: "hub-unknown", message: "There is no such hub.") }
        guard let header = request.headers[.authorization] else {
            throw Self.refused("signature-missing", "A request to a hub has a shared access signature (Authorization).")
        }
        let signature: SharedAccessSignature
        do throws(WireError) { signature = try SharedAccessSignature(reading: header) } catch {
            throw Self.refused(error.code, error.message)
        }
        // The answer is the same for a key that does not exist and for one that does not match.
        let isKnown = try await database.lookUp { try hub.hasKey(signature.keyName, in: $0) }
        let key = secret()?.key(hub: hub.name, name: signature.keyName)
        guard let key, signature.isSigned(with: key), isKnown else {
            throw Self.refused("signature-invalid", "The shared access signature was not made with a key of this hub.")
        }
        guard signature.reaches(hub.url) else {
            throw Self.refused("signature-foreign", "The shared access signature reaches something else (sr).")
        }
        guard signature.isCurrent(at: clock()) else {
            throw Self.refused("signature-expired", "The shared access signature has expired (se).")
        }
        return hub.name
    }

    private static func refused(_ code: String, _ message: String) -> HTTPFailure {
        HTTPFailure(.unauthorized, code: code, message: message, headers: [.wwwAuthenticate: "SharedAccessSignature"])
    }
}

extension HTTPFailure {
    /// Creates the answer to an error of the gateway.
    fileprivate init(ofGateway error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as GatewayError: self.init(.badRequest, code: error.code, message: error.message)
        case let error as StorageError where error.code == "storage-full": self = .storageFull
        case is StorageError: self = .storageUnavailable
        default: self = .internalError
        }
    }
}
