import AccessPolicy
import Core
import Hummingbird
import ServerHTTP

/// Base path of the published resources.
enum PublishedBase: Sendable {
    case root
    /// Below `/c3pro`, for C3-PRO's apps.
    case c3pro

    var path: String { self == .root ? "/fhir" : "/c3pro/fhir" }
    /// Release of FHIR for requests without one: the latest of C3-PRO's apps read STU3 and send no version.
    var usualRelease: FHIRRelease { self == .root ? .r4 : .stu3 }
}

extension ReceiverRoutes {
    /// `GET /fhir/Type/{id}` for published resources: the unchanged file of the client's release of FHIR.
    func readPublished(
        _ type: String, at base: PublishedBase, request: Request, context: ServerRequestContext
    ) async throws -> Response {
        let actor = try await reader(request, context)
        guard let id = context.parameters.get("id"), ResourceName.isID(id) else { throw HTTPFailure.pathWithoutID }
        try permit(actor, action: .readQuestionnaire, target: Target(resourceType: type, resourceID: id))
        guard let found = try await configuration.published.read(type, id, request.release(usual: base.usualRelease))
        else {
            throw HTTPFailure(
                .notFound, code: "\(type.lowercased())-unknown", message: "The study publishes no \(type) with this id."
            )
        }
        return request.answer(found)
    }

    /// `GET /fhir/Type`: published resources of a type, in pages, as a Bundle in the client's release of FHIR.
    func searchPublished(
        _ type: String, at base: PublishedBase, request: Request, context: ServerRequestContext
    ) async throws -> Response {
        let actor = try await reader(request, context)
        try permit(actor, action: .readQuestionnaire, target: Target(resourceType: type))
        guard let query = request.queryForm else {
            throw HTTPFailure(.badRequest, code: "query-invalid", message: "The query is not percent-encoded UTF-8.")
        }
        func number(_ name: String, otherwise: Int) throws -> Int {
            let values = query.fields.filter { $0.name == name }.map(\.value)
            guard let value = values.first else { return otherwise }
            guard values.count == 1, value.utf8.count <= 6, value.utf8.allSatisfy({ (48...57).contains($0) }),
                let number = Int(value)
            else { throw HTTPFailure(.badRequest, code: "query-invalid", message: "\(name) must be one number.") }
            return number
        }
        let found = try await configuration.published.search(
            .init(
                type: type, release: request.release(usual: base.usualRelease),
                parameters: query.fields.filter { !Self.paging.contains($0.name) },
                count: min(number("_count", otherwise: Self.usualCount), Self.greatestCount),
                offset: number("_cursor", otherwise: 0),
                address: (configuration.address?.url ?? request.address(scheme: configuration.scheme)) + base.path))
        return request.answer(found)
    }

    /// Whether a request comes from a device. At the paths that the records use too, devices read published resources,
    /// and staff read records.
    func comesFromDevice(_ request: Request) async -> Bool {
        guard configuration.authenticateStaff != nil else { return true }
        guard let token = request.bearerToken else { return false }
        return (try? await access.authenticate(bearer: token)) ?? nil != nil
    }

    private func reader(_ request: Request, _ context: ServerRequestContext) async throws -> Actor {
        let actor = try await authenticate(request, context, orStaff: true)
        // Limit by device, because several devices may share an address.
        try configuration.limiter.admit(actor.id, .readByAddress)
        return actor
    }

    private static let paging: Set<String> = ["_count", "_cursor"]
    private static let usualCount = 50
    private static let greatestCount = 200
}

extension Request {
    /// Release of FHIR that the client requests.
    fileprivate func release(usual: FHIRRelease) -> FHIRRelease {
        FHIRRelease(accept: headers[values: .accept]) ?? usual
    }

    /// Returns a response with its release in the media type.
    fileprivate func answer(_ found: PublishedReading.Answer) -> Response {
        .bytes(
            ByteBuffer(bytes: found.bytes), mediaType: found.release.mediaType(accepting: headers[values: .accept]),
            cacheControl: "private, no-cache", headers: [.vary: "Accept"])
    }
}
