import Hummingbird

/// Routes that refuse in one form, with their rate class and their middleware.
package struct GuardedRoutes: Sendable {
    /// The rate class that an unauthenticated refused request is charged to.
    let rateClass: RateClass
    /// Returns the refusal that reports an error to the caller, in the form of these routes.
    let refusal: @Sendable (any Error, Request) -> any HTTPRefusal
    /// Whether these routes serve a request for one of their paths. Only particular routes decline requests, which the
    /// other module with the same path then serves.
    let takes: @Sendable (Request) async -> Bool
    private let add: @Sendable (RouterGroup<ServerRequestContext>) -> Void

    /// - Parameters:
    ///   - rateClass: the rate class that an unauthenticated refused request is charged to.
    ///   - refusal: returns the refusal that reports an error to the caller.
    ///   - takes: returns whether these routes serve a request, for particular routes.
    ///   - add: adds the routes.
    package init(
        rateClass: RateClass = .unauthenticatedByAddress,
        refusal: @escaping @Sendable (any Error, Request) -> any HTTPRefusal,
        takes: @escaping @Sendable (Request) async -> Bool = { _ in true },
        add: @escaping @Sendable (RouterGroup<ServerRequestContext>) -> Void
    ) {
        self.rateClass = rateClass
        self.refusal = refusal
        self.takes = takes
        self.add = add
    }

    /// The patterns that the routes take.
    var patterns: [RoutePattern] {
        let router = Router(context: ServerRequestContext.self)
        add(router.group())
        return router.patterns
    }

    /// Adds the routes with refusals that are counted and charged.
    func add(to router: Router<ServerRequestContext>, charge: RefusalCharge) {
        let refusals = RefusalMiddleware(charge: charge, rateClass: rateClass, refusal: refusal)
        add(router.group().add(middleware: refusals))
    }
}

extension Router where Context == ServerRequestContext {
    /// Adds the routes of modules, and the answers to a wrong method.
    ///
    /// - Parameters:
    ///   - particular: routes that take precedence over those of a module that is added later, where both have the same
    ///     path.
    ///   - root: the path below which a 404 has the form of the first routes.
    package func add(
        _ routes: [GuardedRoutes], particular: [GuardedRoutes] = [], charge: RefusalCharge, below root: String? = nil
    ) {
        for routes in routes { routes.add(to: self, charge: charge) }
        // After the routes, so that these middlewares do not run for them.
        add(middleware: UnroutedMiddleware(routes: routes + particular, below: root))
        if !particular.isEmpty { add(middleware: ParticularRoutesMiddleware(routes: particular, charge: charge)) }
    }
}
