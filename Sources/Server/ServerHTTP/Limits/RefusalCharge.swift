/// What becomes of a refused request: it is counted by its code, and charged to its address where nobody proved anything.
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
    /// - Returns: the seconds to wait (429) where the address has used up what it may fail; nil where the refusal stands.
    public func charge(
        status: Int, code: String, to address: ClientAddress, _ rateClass: RateClass = .unauthenticatedByAddress,
        isKnown: Bool
    ) async -> Int? {
        // 5xx are our failures, 408 and 429 answers to waiting.
        guard (400..<500).contains(status), status != 408, status != 429 else { return nil }
        if !isKnown, case .retry(let seconds) = limiter.check(address, rateClass) { return seconds }
        await count(code)
        return nil
    }
}
