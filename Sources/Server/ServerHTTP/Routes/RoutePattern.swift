import HTTPTypes
import Hummingbird

/// The pattern of the requests that a route takes.
struct RoutePattern: Sendable {
    let method: HTTPRequest.Method
    let path: RouterPath

    /// Whether a request's path is one of the route's.
    func takes(_ path: RequestPath) -> Bool {
        self.path.count == path.components.count && zip(self.path, path.components).allSatisfy { $0 ~= $1 }
    }
}

extension Router {
    /// The patterns of the routes that were added.
    var patterns: [RoutePattern] { routes.map { RoutePattern(method: $0.method, path: $0.path) } }
}

/// The path of a request in its components. Empty ones do not count, as for the router.
struct RequestPath {
    let components: [Substring]

    init(_ path: String) {
        components = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }
}
