import Hummingbird

/// A middleware of this server.
package typealias ServerMiddleware = MiddlewareProtocol<Request, Response, ServerRequestContext>

/// Routes that refuse in one form, with their rate class and their middlewares.
package struct GuardedRoutes: Sendable {
    /// Returns the refusal that reports an error to the caller, in the form of these routes.
    let refusal: @Sendable (any Error, Request) -> any HTTPRefusal
    /// Whether these routes serve a request for one of their paths. Only particular routes decline requests, which the
    /// other module with the same path then serves.
    let takes: @Sendable (Request) async -> Bool
    private let rateClass: RateClass
    private let middlewares: [any ServerMiddleware]
    private let add: @Sendable (RouteList) -> Void

    /// - Parameters:
    ///   - rateClass: the rate class that an unauthenticated refused request is charged to.
    ///   - refusal: returns the refusal that reports an error to the caller.
    ///   - takes: returns whether these routes serve a request, for particular routes.
    ///   - middlewares: the middlewares that a request of these routes passes, the outermost first.
    ///   - add: adds the routes.
    package init(
        rateClass: RateClass = .unauthenticatedByAddress,
        refusal: @escaping @Sendable (any Error, Request) -> any HTTPRefusal,
        takes: @escaping @Sendable (Request) async -> Bool = { _ in true },
        middlewares: [any ServerMiddleware] = [],
        add: @escaping @Sendable (RouteList) -> Void
    ) {
        self.rateClass = rateClass
        self.refusal = refusal
        self.takes = takes
        self.middlewares = middlewares
        self.add = add
    }

    /// The patterns that the routes take.
    var patterns: [RoutePattern] {
        let router = Router(context: ServerRequestContext.self)
        add(RouteList(router.group()))
        return router.patterns
    }

    /// Returns the middlewares of these routes, the outermost first: the one that counts and charges refusals, and
    /// their own.
    func middlewares(charge: RefusalCharge) -> [any ServerMiddleware] {
        [RefusalMiddleware(charge: charge, rateClass: rateClass, refusal: refusal)] + middlewares
    }

    /// Adds the routes with their middlewares.
    func add(to router: Router<ServerRequestContext>, charge: RefusalCharge) {
        let group = router.group()
        for middleware in middlewares(charge: charge) { group.add(middleware: middleware) }
        add(RouteList(group))
    }
}
