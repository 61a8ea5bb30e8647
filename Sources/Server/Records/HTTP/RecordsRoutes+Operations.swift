import FHIR
import Foundation
import Hummingbird
import ServerHTTP
import Trust

extension RecordsRoutes {
    /// Adds the operations (<https://hl7.org/fhir/R4/operations.html>).
    func addOperations(to fhir: RouterGroup<ServerRequestContext>) {
        fhir.getAndHead(":type/:id/$everything", use: everything)
        fhir.post(":type/$validate", use: validate)
        fhir.post(":type/:id/$validate", use: validate)
    }

    @Sendable private func everything(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        guard context.name("type") == Patient.resourceType else { throw RecordsFailure.operationUnknown }
        let page = try EverythingPage(try request.searchParameters, strict: request.isStrict)
        return try Response(
            try await service.everything(
                ofPatient: context.name("id"), page: page, url: url(asked: request), by: grant
            ).json, as: request.answerFormat)
    }

    @Sendable private func validate(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let type = context.name("type")
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        let body = try await bodies.collect(request, upTo: maximumBodyBytes)
        guard let format = request.bodyFormat else { throw RecordsFailure.formUnknown }
        var resource = try format.resource(body.bytes)
        // The resource alone, or as a parameter.
        if type != Parameters.resourceType, let parameters = resource.as(Parameters.self) {
            guard let inner = parameters.parameter.first(where: { $0.name == "resource" })?.resource else {
                throw RecordsFailure.bodyMissing
            }
            resource = inner
        }
        let outcome = try await service.validate(resource, as: type, by: grant)
        return try Response(outcome.json, as: request.answerFormat)
    }
}
