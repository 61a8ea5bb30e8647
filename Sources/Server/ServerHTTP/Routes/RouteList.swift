import HTTPTypes
import Hummingbird

/// Adds the routes of a module to a router. It takes no middleware: ``GuardedRoutes`` lists every middleware that a
/// request passes.
package struct RouteList {
    private let group: RouterGroup<ServerRequestContext>

    /// - Parameter group: the group of the router to which the routes are added.
    package init(_ group: RouterGroup<ServerRequestContext>) { self.group = group }

    /// Returns a list for the routes below a path.
    package func group(_ path: RouterPath) -> RouteList { RouteList(group.group(path)) }

    /// Adds a route.
    @discardableResult
    package func on(
        _ path: RouterPath, method: HTTPRequest.Method,
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList {
        group.on(path, method: method, use: handler)
        return self
    }

    /// Adds a route for GET.
    @discardableResult
    package func get(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList { on(path, method: .get, use: handler) }

    /// Adds a route for GET and for HEAD. ``HTTPServer`` sends no body in answer to HEAD (RFC 9110 section 9.3.2).
    @discardableResult
    package func getAndHead(
        _ path: RouterPath, use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> Response
    ) -> RouteList {
        on(path, method: .get, use: handler).on(path, method: .head, use: handler)
    }

    /// Adds a route for POST.
    @discardableResult
    package func post(
        _ path: RouterPath = "",
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList { on(path, method: .post, use: handler) }

    /// Adds a route for PUT.
    @discardableResult
    package func put(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList { on(path, method: .put, use: handler) }

    /// Adds a route for PATCH.
    @discardableResult
    package func patch(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList { on(path, method: .patch, use: handler) }

    /// Adds a route for DELETE.
    @discardableResult
    package func delete(
        _ path: RouterPath,
        use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> some ResponseGenerator
    ) -> RouteList { on(path, method: .delete, use: handler) }
}
