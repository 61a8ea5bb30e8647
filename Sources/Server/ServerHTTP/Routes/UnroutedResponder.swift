import HTTPTypes
import Hummingbird

/// Answers requests that no route takes: a preflight with the methods of the path, 405 with `Allow` (RFC 9110 section
/// 15.5.6) for a known path and an unknown method, and 404 below the root path of a table.
struct UnroutedResponder: Sendable {
    private struct Route {
        let pattern: RoutePattern
        let refusal: @Sendable (any Error, Request) -> any HTTPRefusal
    }

    /// The routes of a table.
    private struct Known {
        let routes: [Route]
        let root: String?

        init(_ table: RouteTable) {
            routes = (table.routes + table.particular).flatMap { routes in
                routes.patterns.map { Route(pattern: $0, refusal: routes.refusal) }
            }
            root = table.root
        }
    }

    private let tables: [Known]

    /// - Parameter tables: the tables in the order in which they report a request.
    init(_ tables: [RouteTable]) { self.tables = tables.filter(\.reportsMethods).map(Known.init) }

    /// Answers a request.
    ///
    /// - Throws: `HTTPError` 404 for an unknown path that is below no root.
    func respond(to request: Request, context: ServerRequestContext) throws -> Response {
        context.coreContext.endpointPath.value = "NotFound"
        let path = RequestPath(request.uri.path)
        for table in tables {
            if let response = try response(of: table, to: request, at: path, context) { return response }
        }
        throw HTTPError(.notFound)
    }

    private func response(
        of table: Known, to request: Request, at path: RequestPath, _ context: ServerRequestContext
    ) throws -> Response? {
        let known = table.routes.filter { $0.pattern.takes(path) }
        guard let first = known.first, !known.contains(where: { $0.pattern.method == request.method }) else {
            guard let root = table.root, request.uri.path.hasPrefix(root), let refusal = table.routes.first?.refusal
            else { return nil }
            let failure = ControlCharacters.areEncoded(in: request.uri.string) ? HTTPFailure.addressInvalid : .notFound
            return try refusal(failure, request).response(from: request, context: context)
        }
        let methods = Set(known.map(\.pattern.method)).sorted { $0.rawValue < $1.rawValue }
        context.coreContext.endpointPath.value = first.pattern.path.description
        // Every route answers a preflight. The CORS middleware around the routes adds the headers if the origin may
        // read.
        if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
            return Response(
                status: .noContent, headers: [.allow: (methods + [.options]).map(\.rawValue).joined(separator: ", ")])
        }
        let refused = first.refusal(HTTPFailure.methodNotAllowed(allow: methods), request)
        context.outcome.refuse(refused, because: refused)
        return try refused.response(from: request, context: context)
    }
}
