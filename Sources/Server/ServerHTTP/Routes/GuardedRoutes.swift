import Hummingbird

/// Routes that refuse in one form, with what stands around them.
public struct GuardedRoutes: Sendable {
    /// The rate class that a refusal is charged to where nobody had proved anything.
    let rateClass: RateClass
    /// Returns the refusal that an error means to the one who asked, in the form that these routes have.
    let refusal: @Sendable (any Error, Request) -> any Refusal
    /// Whether a request for one of the paths is theirs, where they are particular ones; what is not goes on to whatever
    /// module has the path too.
    let takes: @Sendable (Request) async -> Bool
    private let add: @Sendable (RouterGroup<ServerRequestContext>) -> Void

    /// - Parameters:
    ///   - takes: whether a request is theirs where they are particular routes.
    ///   - add: adds the routes.
    public init(
        rateClass: RateClass = .unauthenticatedByAddress,
        refusal: @escaping @Sendable (any Error, Request) -> any Refusal,
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
    /// Adds a module's routes, and what answers a wrong method.
    ///
    /// - Parameters:
    ///   - particular: routes that go before those of whatever module is added later, where both take the same path.
    ///   - root: the path below which a 404 is told as the first routes tell it.
    public func add(
        _ routes: [GuardedRoutes], particular: [GuardedRoutes] = [], charge: RefusalCharge, below root: String? = nil
    ) {
        for routes in routes { routes.add(to: self, charge: charge) }
        // Behind the routes, so that none of them passes these.
        add(middleware: UnroutedMiddleware(routes: routes + particular, below: root))
        if !particular.isEmpty { add(middleware: ParticularRoutesMiddleware(routes: particular, charge: charge)) }
    }
}
