import Hummingbird
import NIOHTTP1

/// Converts errors of routes to answers in the form of these routes, counts them by code, and charges unauthenticated
/// ones to the caller's address. Refuses an address with a control character before it reaches a route.
struct RefusalMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private let charge: RefusalCharge
    private let rateClass: RateClass
    private let refusal: @Sendable (any Error, Request) -> any HTTPRefusal

    /// - Parameters:
    ///   - rateClass: the rate class that an unauthenticated refused request is charged to.
    ///   - refusal: returns the refusal that reports an error to the caller, in the form of these routes.
    init(
        charge: RefusalCharge, rateClass: RateClass,
        refusal: @escaping @Sendable (any Error, Request) -> any HTTPRefusal
    ) {
        self.charge = charge
        self.rateClass = rateClass
        self.refusal = refusal
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            guard !ControlCharacters.areEncoded(in: request.uri.string) else { throw HTTPFailure.addressInvalid }
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // The end of the body cannot be determined: the connection answers 400 and ends.
            throw error
        } catch {
            var refused = refusal(error, request)
            let wait = await charge.charge(
                refused, to: context.client, rateClass, isKnown: context.outcome.caller != nil)
            if let wait { refused = refusal(HTTPFailure.rateLimited(retryAfter: wait), request) }
            context.outcome.refuse(refused, because: error)
            return try refused.response(from: request, context: context)
        }
    }
}
