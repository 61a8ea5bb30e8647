import HTTPTypes
import Hummingbird

/// Finds the class of routes for a path and a method among all classes. As in a router, a literal component precedes a
/// parameter.
struct RouteIndex: Sendable {
    private struct Entry {
        let path: RouterPath
        /// Whether the first component is a parameter.
        let startsWithParameter: Bool
        var classes: [HTTPRequest.Method: RouteClass] = [:]

        init(_ path: RouterPath) {
            self.path = path
            startsWithParameter = path.first.map { !($0 == $0.description) } ?? false
        }

        /// For each component, whether it is a parameter.
        var parameters: [Bool] { path.map { !($0 == $0.description) } }
    }

    /// The paths by their number of components, the more literal first.
    private let entries: [Int: [Entry]]
    /// The literal first components. A path with a parameter in front does not have them.
    private let roots: Set<String>

    init(_ classes: [RouteClass]) {
        var entries: [String: Entry] = [:]
        for routes in classes {
            for pattern in routes.patterns {
                entries[pattern.path.description, default: Entry(pattern.path)].classes[pattern.method] = routes
            }
        }
        let sorted = entries.values.sorted { first, second in
            first.parameters.lexicographicallyPrecedes(second.parameters) { !$0 && $1 }
        }
        self.entries = Dictionary(grouping: sorted) { $0.path.count }
        roots = Set(sorted.filter { !$0.startsWithParameter }.compactMap { $0.path.first?.description })
    }

    /// Returns the class of the first path that matches; nil if that path lacks the method.
    func routes(_ path: RequestPath, _ method: HTTPRequest.Method) -> RouteClass? {
        let entry = entries[path.components.count]?.first { entry in
            guard RoutePattern(method: method, path: entry.path).takes(path) else { return false }
            return !entry.startsWithParameter || !roots.contains(String(path.components[0]))
        }
        return entry?.classes[method]
    }
}
