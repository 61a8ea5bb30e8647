import Core
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Trust
import Wire

/// `POST /HUB/messages`: takes what devices and clouds of others send to an event hub.
///
/// A request is answered with 201 when its events are durable; what becomes of them is worked out later.
public struct GatewayRoutes: Sendable {
    private let database: any SQLDatabase
    private let writer: GroupedWriter
    private let limiter: RateLimiter
    private let bodies: BodyBudget
    private let charge: RefusalCharge
    private let secret: @Sendable () -> HubSecret?
    private let bell: ArrivalBell
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - secret: what the keys of hubs are made of; nil where no key was made.
    ///   - bell: rung when events have come.
    ///   - refusals: told the code of each refusal.
    public init(
        database: any SQLDatabase, limiter: RateLimiter, bodies: BodyBudget,
        secret: @escaping @Sendable () -> HubSecret?,
        bell: ArrivalBell, refusals: @escaping @Sendable (String) async -> Void, clock: @escaping @Sendable () -> Date
    ) {
        self.database = database
        writer = GroupedWriter(database: database)
        self.limiter = limiter
        self.bodies = bodies
        charge = RefusalCharge(limiter: limiter, count: refusals)
        self.secret = secret
        self.bell = bell
        self.clock = clock
    }

    /// Adds the route, behind those of all other modules.
    public func add(to router: Router<ServerRequestContext>) {
        let route = GuardedRoutes(refusal: Self.refusal) { routes in
            routes.post(":hub/\(EventHubName.messages)", use: post)
        }
        router.add([route], charge: charge)
    }

    @Sendable private static func refusal(_ error: any Error, _ request: Request) -> any Refusal {
        HTTPFailure(ofGateway: error)
    }

    @Sendable private func post(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        // 1. Who asks, and nothing of the body before.
        let name = try context.parameters.require("hub")
        let hub = try await admit(request, to: name)
        try limiter.admit("device-hub:" + hub, .eventsByHub)
        // 2. The events, durable before anything is said.
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
                .tooManyRequests, "device-hub-full",
                "Too much of this hub waits to be recorded, for its devices to be registered or for the study team.",
                headers: [.retryAfter: "60"])
        }
        await bell.ring()
        return Response(status: .created)
    }

    /// The hub that a signature reaches.
    private func admit(_ request: Request, to name: String) async throws -> String {
        let hub = try await database.lookUp { try DeviceHub.named(name, in: $0) }
        guard let hub else { throw HTTPFailure(.notFound, "hub-unknown", "There is no such hub.") }
        guard let header = request.headers[.authorization] else {
            throw Self.refused("signature-missing", "A request to a hub has a shared access signature (Authorization).")
        }
        let signature: SharedAccessSignature
        do throws(WireError) { signature = try SharedAccessSignature(reading: header) } catch {
            throw Self.refused(error.code, error.message)
        }
        // One answer to a key that is not there and one that does not fit.
        let isKnown = try await database.lookUp { try hub.hasKey(signature.keyName, in: $0) }
        let key = secret()?.key(hub: hub.name, name: signature.keyName)
        guard let key, signature.isSigned(with: key), isKnown else {
            throw Self.refused("signature-invalid", "The shared access signature was not made with a key of this hub.")
        }
        guard signature.reaches(hub.url) else {
            throw Self.refused("signature-foreign", "The shared access signature reaches something else (sr).")
        }
        guard signature.isCurrent(at: clock()) else {
            throw Self.refused("signature-expired", "The shared access signature has ended (se).")
        }
        return hub.name
    }

    private static func refused(_ code: String, _ message: String) -> HTTPFailure {
        HTTPFailure(.unauthorized, code, message, headers: [.wwwAuthenticate: "SharedAccessSignature"])
    }
}

extension HTTPFailure {
    /// What an error of the gateway means to who asked.
    fileprivate init(ofGateway error: any Error) {
        switch error {
        case let failure as HTTPFailure: self = failure
        case let error as GatewayError: self.init(.badRequest, error.code, error.message)
        case let error as StorageError where error.code == "storage-full": self = .storageFull
        case is StorageError: self = .storageUnavailable
        default: self = .internalError
        }
    }
}
