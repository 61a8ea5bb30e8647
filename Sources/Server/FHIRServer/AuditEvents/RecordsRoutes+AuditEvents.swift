import FHIR
import FHIRHTTP
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Adds the reads of the audit. They precede the routes of stored resources.
    func addAuditEvents(to fhir: RouteList) {
        let path = RouterPath(RecordsService.auditEvent)
        fhir.getAndHead(path) { request, context in
            try await searchAuditEvents(request, context, parameters: try request.searchParameters)
        }
        fhir.post(path.appendingPath("_search")) { request, context in
            let form = try await request.searchForm(within: bodies)
            return try await searchAuditEvents(request, context, parameters: try request.searchParameters + form)
        }
        fhir.getAndHead(path.appendingPath(":id")) { request, context in
            let grant = try await authenticate(request, context)
            let reservation = try await service.reservation(for: grant)
            defer { withExtendedLifetime(reservation) {} }
            let event = try await service.auditEvent(
                id: context.name("id"), url: url(asked: request), by: grant)
            return try Response(event.json, as: request.answerFormat)
        }
    }

    private func searchAuditEvents(
        _ request: Request, _ context: ServerRequestContext, parameters: [(name: String, value: String)]
    ) async throws -> Response {
        let grant = try await authenticate(request, context)
        let reservation = try await service.reservation(for: grant)
        defer { withExtendedLifetime(reservation) {} }
        let bundle = try await service.auditEvents(parameters, url: url(asked: request), by: grant)
        return try Response(bundle.json, as: request.answerFormat)
    }
}
