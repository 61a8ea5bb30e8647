import FHIR
import FHIRHTTP
import FHIRSearch
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Adds the searches by GET (<https://hl7.org/fhir/R4/http.html#search>).
    func addSearches(to fhir: RouteList) {
        fhir.getAndHead("", use: searchSystem)
        fhir.getAndHead(":type", use: search)
        fhir.getAndHead(":type/:id/:member", use: searchCompartment)
    }

    /// Adds the searches by a form, except that of all types, whose path matches that of a type.
    func addSearchForms(to fhir: RouteList) {
        fhir.post(":type/_search", use: searchByForm)
        fhir.post(":type/:id/_search", use: searchCompartmentByForm)
        fhir.post(":type/:id/:member/_search", use: searchCompartmentByForm)
    }

    @Sendable private func search(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await answer(.type(context.name("type")), to: request, in: context)
    }

    @Sendable private func searchByForm(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await answer(.type(context.name("type")), to: request, in: context, withForm: true)
    }

    @Sendable private func searchSystem(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await answer(.system, to: request, in: context)
    }

    @Sendable func searchSystemByForm(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await answer(.system, to: request, in: context, withForm: true)
    }

    @Sendable private func searchCompartment(
        _ request: Request, _ context: ServerRequestContext
    ) async throws -> Response {
        try await answer(compartment(context), to: request, in: context)
    }

    @Sendable private func searchCompartmentByForm(
        _ request: Request, _ context: ServerRequestContext
    ) async throws -> Response {
        try await answer(compartment(context), to: request, in: context, withForm: true)
    }

    /// Returns the scope in the path; nil where there is no such compartment.
    private func compartment(_ context: ServerRequestContext) -> SearchQuery.Scope? {
        let member = context.parameters.get("member")
        // An operation is not a type.
        guard member?.hasPrefix("$") != true else { return nil }
        return SearchCompartment(type: context.name("type"), id: context.name("id")).map {
            .compartment($0, type: member == "*" ? nil : member)
        }
    }

    private func answer(
        _ scope: SearchQuery.Scope?, to request: Request, in context: ServerRequestContext, withForm: Bool = false
    ) async throws -> Response {
        let caller = try await recognize(request, context)
        guard let scope else { throw RecordsFailure(SearchConditionError.compartmentUnknown) }
        var parameters = try request.searchParameters
        if withForm { parameters += try await request.searchForm(within: bodies) }
        let page = try await service.search(
            scope, parameters: parameters, strict: request.isStrict, url: url(asked: request), by: caller)
        return try await Response.page(page, as: request.answerFormat, on: service.longWork)
    }
}
