import HTTPTypes
import Hummingbird

/// Sends each request to one of two routers: that of devices, or that of clients.
///
/// It decides by method and path which class of routes has a request, before the request passes any middleware. The
/// request then passes the middlewares around all modules, and those of its class.
package struct RequestDispatcher: HTTPResponder {
    package typealias Context = ServerRequestContext

    private let particular: [RouteClass]
    private let index: RouteIndex
    private let unrouted: UnroutedResponder
    private let surroundings: [any ServerMiddleware]

    /// - Parameters:
    ///   - devices: the tables of the modules that devices call.
    ///   - clients: the tables of the modules that clients and people call.
    ///   - surroundings: the middlewares that requests of all tables pass that are not bare, the outermost first.
    package init(
        devices: [RouteTable], clients: [RouteTable],
        surroundings: [any ServerMiddleware] = []
    ) {
        let routers = (devices: ModuleRouter(devices), clients: ModuleRouter(clients))
        particular = routers.devices.particular + routers.clients.particular
        index = RouteIndex(routers.devices.classes + routers.clients.classes)
        // The last table of clients reports first, because its paths are more literal than those of the others.
        unrouted = UnroutedResponder(clients.reversed() + devices.reversed())
        self.surroundings = surroundings
    }

    package func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        let routes = await routes(for: request)
        do {
            return try await pass(request, context, middlewares: around(routes)[...]) { request, context in
                guard let routes else { return try unrouted.respond(to: request, context: context) }
                return try await routes.responder.respond(to: request, context: context)
            }
        } catch let error as any HTTPResponseError {
            return try error.response(from: request, context: context)
        }
    }

    /// Returns the middlewares that a request passes, the outermost first.
    package func middlewares(for request: Request) async -> [any ServerMiddleware] {
        let routes = await routes(for: request)
        return around(routes) + (routes?.middlewares ?? [])
    }

    /// Returns the class of routes that serves a request; nil if no route takes it.
    private func routes(for request: Request) async -> RouteClass? {
        let path = RequestPath(request.uri.path)
        for routes in particular {
            let isOurs = routes.patterns.contains { $0.method == request.method && $0.takes(path) }
            if isOurs, await routes.takes(request) { return routes }
        }
        return index.routes(path, request.method)
    }

    private func around(_ routes: RouteClass?) -> [any ServerMiddleware] {
        routes?.isBare == true ? [] : surroundings
    }

    private func pass(
        _ request: Request, _ context: ServerRequestContext,
        middlewares: ArraySlice<any ServerMiddleware>,
        to last: (Request, ServerRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let first = middlewares.first else { return try await last(request, context) }
        return try await first.handle(request, context: context) { request, context in
            try await pass(request, context, middlewares: middlewares.dropFirst(), to: last)
        }
    }
}
