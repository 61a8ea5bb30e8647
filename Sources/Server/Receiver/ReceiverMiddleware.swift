import Hummingbird
import ServerHTTP

/// Answers, ahead of the router, what its table of paths cannot: the published questionnaires among another module's
/// `/fhir/:type/:id`, and 405 where a path is ours and its method is not.
struct ReceiverMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    let routes: ReceiverRoutes

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        if request.method == .get, path.contains("/fhir/Questionnaire/") {
            let components = path.split(separator: "/")
            for route in ReceiverRoute.table where route.endpoint == .questionnaire {
                guard let parameters = route.match(components) else { continue }
                return await routes.respond(
                    to: request, route, from: context.client, type: nil, id: parameters["id"].map(String.init))
            }
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            let components = path.split(separator: "/")
            let known = ReceiverRoute.table.filter { $0.match(components) != nil }
            guard !known.isEmpty, !known.contains(where: { $0.method == request.method.rawValue }) else { throw error }
            return routes.refuseMethod(of: known)
        }
    }
}
