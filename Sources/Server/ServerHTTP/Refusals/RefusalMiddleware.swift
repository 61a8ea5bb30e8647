import Hummingbird
import NIOHTTP1

/// Stands around routes and makes an answer of whatever they throw: in the form that these routes have, counted by its
/// code, and charged to its address where nobody had proved anything. An address with a control character reaches no route.
struct RefusalMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    private let charge: RefusalCharge
    private let rateClass: RateClass
    private let refusal: @Sendable (any Error, Request) -> any Refusal

    /// - Parameters:
    ///   - rateClass: what a refusal is charged to where nobody had proved anything.
    ///   - refusal: what an error means to the one who asked, in the form that these routes have.
    init(
        charge: RefusalCharge, rateClass: RateClass,
        refusal: @escaping @Sendable (any Error, Request) -> any Refusal
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
            // A body that nobody can tell the end of: the connection answers 400 and ends.
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
