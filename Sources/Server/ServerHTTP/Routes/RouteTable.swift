import HTTPTypes
import Hummingbird

/// The routes of a module, for a ``RequestDispatcher``.
package struct RouteTable: Sendable {
    let routes: [GuardedRoutes]
    let particular: [GuardedRoutes]
    let charge: RefusalCharge
    let root: String?
    let isBare: Bool
    let reportsMethods: Bool

    /// - Parameters:
    ///   - routes: the routes that are chosen by path; a literal path precedes one with parameters.
    ///   - particular: routes that precede all others with the same path and method.
    ///   - charge: counts and charges the refusals of these routes.
    ///   - root: the path below which a 404 has the form of the first routes.
    ///   - isBare: whether requests of these routes pass none of the middlewares around all modules.
    ///   - reportsMethods: whether the answer to another method is 405 with the methods of these routes.
    package init(
        _ routes: [GuardedRoutes], particular: [GuardedRoutes] = [], charge: RefusalCharge, below root: String? = nil,
        isBare: Bool = false, reportsMethods: Bool = true
    ) {
        self.routes = routes
        self.particular = particular
        self.charge = charge
        self.root = root
        self.isBare = isBare
        self.reportsMethods = reportsMethods
    }

    /// The methods and paths of the routes that are chosen by path.
    package var paths: [(method: HTTPRequest.Method, path: RouterPath)] {
        routes.flatMap { $0.patterns.map { ($0.method, $0.path) } }
    }
}

/// A class of routes in a router: routes of one module that have the same middlewares.
struct RouteClass: Sendable {
    let patterns: [RoutePattern]
    let takes: @Sendable (Request) async -> Bool
    /// The middlewares that a request of these routes passes in ``responder``.
    let middlewares: [any ServerMiddleware]
    let isBare: Bool
    let responder: RouterResponder<ServerRequestContext>

    init(_ routes: GuardedRoutes, of table: RouteTable, in responder: RouterResponder<ServerRequestContext>) {
        patterns = routes.patterns
        takes = routes.takes
        middlewares = routes.middlewares(charge: table.charge)
        isBare = table.isBare
        self.responder = responder
    }
}

/// The router of several modules, with the whole table of their routes.
struct ModuleRouter: Sendable {
    /// The classes of particular routes, in their order. Each has a responder of its own, because one router would
    /// consider only the more literal of two paths, even if that one lacks the method.
    let particular: [RouteClass]
    /// The classes of all other routes.
    let classes: [RouteClass]

    init(_ tables: [RouteTable]) {
        let router = Router(context: ServerRequestContext.self)
        for table in tables {
            for routes in table.routes { routes.add(to: router, charge: table.charge) }
        }
        let responder = router.buildResponder()
        classes = tables.flatMap { table in
            table.routes.map { RouteClass($0, of: table, in: responder) }
        }
        particular = tables.flatMap { table in
            table.particular.map { routes in
                let router = Router(context: ServerRequestContext.self)
                routes.add(to: router, charge: table.charge)
                return RouteClass(routes, of: table, in: router.buildResponder())
            }
        }
    }
}
