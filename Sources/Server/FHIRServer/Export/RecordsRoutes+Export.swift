import BulkExport
import FHIR
import FHIRHTTP
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

extension RecordsRoutes {
    /// Adds the routes of exports (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html>). Their responses have the
    /// format of the specification, whatever else a client accepts.
    func addExports(to fhir: RouteList) {
        fhir.get("$export", use: exportAll).post("$export", use: exportAll)
        // A router with a route for the literal name of a type uses no parameter route for that type.
        fhir.get(":type/$export", use: exportPatients).post(":type/$export", use: exportPatients)
        fhir.get(":type/:id/$export", use: exportGroup).post(":type/:id/$export", use: exportGroup)
        fhir.getAndHead("$export/:job", use: exportStatus).delete("$export/:job", use: cancelExport)
        fhir.getAndHead("$export/:job/:file", use: exportFile)
    }

    @Sendable func exportAll(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try await export(.system, path: "$export", request, in: context)
    }

    @Sendable private func exportPatients(_ request: Request, _ context: ServerRequestContext) async throws -> Response
    {
        guard context.name("type") == Patient.resourceType else { throw RecordsFailure.operationUnknown }
        return try await export(.patients, path: "Patient/$export", request, in: context)
    }

    @Sendable private func exportGroup(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        guard context.name("type") == GroupMembership.type else { throw RecordsFailure.operationUnknown }
        let id = context.name("id")
        guard Resource.isID(id) else { throw RecordsFailure.groupUnknown }
        return try await export(.group(id), path: "Group/\(id)/$export", request, in: context)
    }

    private func export(
        _ level: ExportRequest.Level, path: String, _ request: Request, in context: ServerRequestContext
    ) async throws -> Response {
        let grant = try await authenticate(request, context)
        guard request.prefers("respond-async") else { throw RecordsFailure.asynchronousOnly }
        let lenient = request.prefers("handling=lenient")
        let asked = try ExportRequest(
            level, parameters: try await operationParameters(request), lenient: lenient, base: url(asked: request))
        let query = request.uri.query.map { "?" + $0 } ?? ""
        let id = try await service.startExport(asked, path: path + query, lenient: lenient, by: grant)
        let status = "\(url(asked: request))/$export/\(id)"
        return Response(status: .accepted, headers: [.contentLocation: status, .cacheControl: "no-store"])
    }

    @Sendable private func exportStatus(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let id = context.name("job")
        switch try await service.exportState(id, by: grant) {
        case .open(let progress, let retryAfter):
            return Response(
                status: .accepted,
                headers: [
                    .progress: progress, .retryAfter: String(retryAfter), .cacheControl: "no-store",
                ])
        case .done(let job, let files):
            let manifest = ExportManifest(job, files, url: url(asked: request))
            return .bytes(
                ByteBuffer(bytes: manifest.json.bytes()), mediaType: "application/json",
                headers: [.expires: HTTPDate.text(job.expiresAt)])
        }
    }

    @Sendable private func cancelExport(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        try await service.cancelExport(context.name("job"), by: grant)
        let outcome = OperationOutcome(
            severity: .information, code: .informational, detail: "export-cancelled",
            diagnostics: "The export and its files are removed.")
        return try Response(outcome.json, as: .json, status: .accepted)
    }

    @Sendable private func exportFile(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let grant = try await authenticate(request, context)
        let file = try await service.exportFile(context.name("file"), of: context.name("job"), by: grant)
        let headers: HTTPFields = [
            .contentType: "application/fhir+ndjson", .cacheControl: "no-store", .contentLength: String(file.bytes),
        ]
        guard request.method != .head else { return Response(status: .ok, headers: headers) }
        do {
            return Response(
                status: .ok, headers: headers,
                body: try await FileIO().loadFile(path: file.path, context: context, chunkLength: 256 << 10))
        } catch {
            throw RecordsFailure.exportUnknown
        }
    }
}

extension Request {
    /// Whether `Prefer` contains a preference (RFC 7240).
    func prefers(_ preference: String) -> Bool {
        headers[values: .prefer].contains { value in
            value.lowercased().split { $0 == "," || $0 == ";" }
                .contains { $0.filter { !$0.isWhitespace } == preference }
        }
    }
}

extension HTTPField.Name {
    package static let progress = HTTPField.Name(validated: "X-Progress")
}
