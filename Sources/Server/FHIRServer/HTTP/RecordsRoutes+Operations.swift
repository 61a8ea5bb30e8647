import FHIR
import FHIRHTTP
import FHIRSearch
import Foundation
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Adds the operations (<https://hl7.org/fhir/R4/operations.html>).
    func addOperations(to fhir: RouteList) {
        fhir.getAndHead(":type/:id/$everything", use: everything)
        fhir.post(":type/:id/$everything", use: everything)
        fhir.post(":type/$validate", use: validate)
        fhir.post(":type/:id/$validate", use: validate)
    }

    @Sendable private func everything(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        guard context.name("type") == Patient.resourceType else { throw RecordsFailure.operationUnknown }
        let page = try EverythingPage(try await operationParameters(request), strict: request.isStrict)
        return try await Response.page(
            try await service.everything(
                ofPatient: context.name("id"), page: page, url: url(asked: request), by: grant
            ), as: request.answerFormat, on: service.longWork)
    }

    /// Returns the parameters of an operation: those of the address, and those of the Parameters in the body of a POST
    /// (<https://hl7.org/fhir/R4/operations.html#executing>). The body is optional.
    ///
    /// - Throws: ``RecordsFailure`` where the body is not a Parameters resource, or a parameter is not a single value.
    func operationParameters(_ request: Request) async throws -> [(name: String, value: String)] {
        let ofAddress = try request.searchParameters
        guard request.method == .post else { return ofAddress }
        let body = try await bodies.collect(request, upTo: min(maximumBodyBytes, 1 << 20))
        guard !body.bytes.isEmpty else { return ofAddress }
        guard let format = request.bodyFormat else { throw RecordsFailure.formUnknown }
        guard let parameters = try format.resource(body.bytes).as(Parameters.self) else {
            throw RecordsFailure.parametersExpected
        }
        return try ofAddress
            + parameters.parameter.map { parameter in
                guard let name = parameter.name, let value = Self.value(of: parameter.object) else {
                    throw RecordsFailure.invalid("Each parameter", "one with a name and a value")
                }
                return (name, value)
            }
    }

    /// Returns the single value of a parameter as text; nil where it has none, several or parts.
    private static func value(of parameter: JSONObject) -> String? {
        let values = parameter.members.filter { $0.key.hasPrefix("value") }
        guard values.count == 1, let value = values.first?.value else { return nil }
        return value.string ?? value["reference"]?.string ?? value.bool.map(String.init) ?? value.number?.text
    }

    @Sendable private func validate(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let type = context.name("type")
        guard RecordType.isHeld(type) else { throw RecordsFailure.unknownType }
        let bytes = try await bodies.collect(request, upTo: maximumBodyBytes).bytes
        var body: Resource?
        if !bytes.isEmpty {
            guard let format = request.bodyFormat else { throw RecordsFailure.formUnknown }
            body = try format.resource(bytes)
        }
        let asked = try ValidationRequest(address: try request.searchParameters, body: body, type: type)
        let id = context.parameters.get("id") == nil ? nil : context.name("id")
        let outcome = try await service.reached(at: url(asked: request)).validate(
            asked, as: type, id: id, by: AuthenticatedCaller(grant))
        return try Response(outcome.json, as: request.answerFormat)
    }
}
