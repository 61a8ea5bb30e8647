import AccessPolicy
import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Adds the routes that the receiver also has.
    func addPlainWrites(to fhir: RouteList) {
        // First, because the path matches that of a type.
        fhir.post("_search", use: searchSystemByForm)
        fhir.post(":type", use: create)
        fhir.put(":type/:id", use: update)
    }

    /// Adds all other routes that write.
    func addWrites(to fhir: RouteList) {
        let router = entryRouter
        fhir.post { request, context in try await bundle(request, in: context, entries: router) }
        fhir.put(":type", use: updateFound)
        fhir.patch(":type/:id", use: patch)
        fhir.patch(":type", use: patchFound)
        fhir.delete(":type/:id", use: delete)
        fhir.delete(":type", use: deleteFound)
    }

    /// Whether the records, and not the receiver, process a write where both have the same address. Requests of devices
    /// and unauthenticated requests go to the receiver, which reports what they lack.
    @Sendable func isForRecords(_ request: Request) async -> Bool {
        guard hasReceiver else { return true }
        guard let grant = try? await service.grant(bearer: request.bearerToken) else { return false }
        return grant.role != .device
    }

    @Sendable private func create(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let type = context.name("type")
        let resource = try await resource(request, ofType: type)
        let destination: WriteRequest.Destination = try request.ifNoneExist.map { .newUnless($0) } ?? .new
        return try await answer(
            WriteRequest(type: type, destination: destination, change: .create(resource)), to: request, by: grant)
    }

    @Sendable private func update(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let (type, id) = (context.name("type"), context.name("id"))
        let resource = try await resource(request, ofType: type, id: id)
        guard let own = resource.id else { throw RecordsFailure.idMissing }
        guard own == id else { throw RecordsFailure.otherID }
        return try await answer(
            WriteRequest(
                type: type, destination: .id(id), change: .update(resource), ifMatch: try request.versionWanted,
                ifNoneMatch: try request.versionUnwanted), to: request, by: grant)
    }

    @Sendable private func updateFound(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let type = context.name("type")
        let resource = try await resource(request, ofType: type)
        return try await answer(
            WriteRequest(
                type: type, destination: .found(try request.criteria), change: .update(resource),
                ifMatch: try request.versionWanted, ifNoneMatch: try request.versionUnwanted), to: request, by: grant)
    }

    @Sendable private func patch(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        return try await patch(.id(context.name("id")), with: request, in: context, by: grant)
    }

    @Sendable private func patchFound(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        return try await patch(.found(try request.criteria), with: request, in: context, by: grant)
    }

    private func patch(
        _ destination: WriteRequest.Destination, with request: Request, in context: ServerRequestContext,
        by grant: AccessGrant
    ) async throws -> Response {
        let type = context.name("type")
        let body = try await bodies.collect(request, upTo: maximumBodyBytes)
        let patch = try ResourcePatch(body.bytes, mediaType: request.bodyType)
        return try await answer(
            WriteRequest(
                type: type, destination: destination, change: .patch(patch), ifMatch: try request.versionWanted),
            to: request, by: grant)
    }

    @Sendable private func delete(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        return try await answer(
            WriteRequest(
                type: context.name("type"), destination: .id(context.name("id")), change: .delete,
                ifMatch: try request.versionWanted), to: request, by: grant)
    }

    @Sendable private func deleteFound(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        return try await answer(
            WriteRequest(
                type: context.name("type"), destination: .found(try request.criteria), change: .delete,
                ifMatch: try request.versionWanted), to: request, by: grant)
    }

    private func bundle(
        _ request: Request, in context: ServerRequestContext, entries router: EntryRouter
    ) async throws -> Response {
        let grant = try await authenticate(request, context)
        let body = try await bodies.collect(request, upTo: maximumBodyBytes)
        guard let format = request.bodyFormat else { throw RecordsFailure.formUnknown }
        let resource = try format.resource(body.bytes)
        guard let bundle = resource.as(FHIR.Bundle.self) else { throw RecordsFailure.bundleExpected }
        defer { service.executor.release(resource) }
        let allowance = RequestAllowance(
            try await service.allowance(for: grant), maximumBytes: maximumBodyBytes)
        let url = url(asked: request)
        let answer = try await service.reached(at: url).perform(
            bundle, by: grant, url: url, strict: request.isStrict, returning: request.returnPreference,
            within: allowance,
            reading: BundleReader { entry, limit in
                try await router.answer(entry, by: grant, within: allowance.time, limit: limit, context)
            })
        return try Response(answer, as: request.answerFormat)
    }

    private func answer(_ write: WriteRequest, to request: Request, by grant: AccessGrant) async throws -> Response {
        let url = url(asked: request)
        let outcome = try await service.reached(at: url).write(write, by: grant, url: url)
        return try Response(
            outcome, url: url, returning: request.returnPreference,
            as: request.answerFormat)
    }

    /// Reads the resource in a body.
    ///
    /// - Parameter id: the id in the address, for a Binary that is sent as its content.
    private func resource(_ request: Request, ofType type: String, id: String? = nil) async throws -> Resource {
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        let body = try await bodies.collect(request, upTo: maximumBodyBytes)
        if type == RawBinary.type {
            return try RawBinary.resource(body.bytes, of: request, id: id, maximumBytes: maximumBodyBytes)
        }
        guard let format = request.bodyFormat else { throw RecordsFailure.formUnknown }
        let resource = try format.resource(body.bytes)
        guard resource.resourceType == type else { throw RecordsFailure.otherType }
        return resource
    }
}
