import HTTPTypes
import Hummingbird

/// The method and the path pattern of a route.
struct RoutePattern: Sendable {
    let method: HTTPRequest.Method
    let path: RouterPath

    /// Whether the path of a request matches.
    func takes(_ path: RequestPath) -> Bool {
        self.path.count == path.components.count && zip(self.path, path.components).allSatisfy { $0 ~= $1 }
    }
}

extension Router {
    /// The patterns of the routes that were added.
    var patterns: [RoutePattern] { routes.map { RoutePattern(method: $0.method, path: $0.path) } }
}

/// The path of a request as components. Empty components are ignored, as the router does.
struct RequestPath {
    let components: [Substring]

    init(_ path: String) {
        components = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }
}
