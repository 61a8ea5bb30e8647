/// The charge for a refused request: it is counted by its code, and charged to its address where nobody proved
/// anything.
///
/// Only refusals are charged, so that who floods does not shut out those who send from behind the same address.
public struct RefusalCharge: Sendable {
    private let limiter: RateLimiter
    private let count: @Sendable (String) async -> Void

    /// - Parameter count: told the stable code of each refusal.
    public init(limiter: RateLimiter, count: @escaping @Sendable (String) async -> Void) {
        self.limiter = limiter
        self.count = count
    }

    /// Counts and charges a refusal.
    ///
    /// - Parameter isKnown: whether the request proved who sends it. One that nobody can read proves as little as a wrong secret.
    /// A failure of the server (5xx) is charged to a stranger too: whoever finds a request that fails gets no more of them than
    /// of refusals.
    ///
    /// - Returns: the seconds to wait (429) where the address has used up what it may fail; nil where the refusal stands.
    func charge(
        _ refusal: some Refusal, to address: ClientAddress, _ rateClass: RateClass, isKnown: Bool
    ) async -> Int? {
        let isFailure = refusal.status.kind == .serverError
        // 408 and 429 are answers to waiting.
        guard isFailure || refusal.status.kind == .clientError, refusal.status != .requestTimeout,
            refusal.status != .tooManyRequests
        else { return nil }
        if !isKnown, case .retry(let seconds) = limiter.check(address, rateClass) { return seconds }
        if !isFailure { await count(refusal.code) }
        return nil
    }
}
