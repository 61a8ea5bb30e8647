import HTTPTypes
import Hummingbird

/// The pattern of the requests that a route takes.
struct RoutePattern: Sendable {
    let method: HTTPRequest.Method
    let path: RouterPath

    /// Whether a request's path is one of the route's. Empty components do not count, as for the router.
    func takes(path: String) -> Bool {
        let components = path.split(separator: "/")
        return self.path.count == components.count && zip(self.path, components).allSatisfy { $0 ~= $1 }
    }
}

extension Router {
    /// The patterns of the routes that were added.
    var patterns: [RoutePattern] { routes.map { RoutePattern(method: $0.method, path: $0.path) } }
}
