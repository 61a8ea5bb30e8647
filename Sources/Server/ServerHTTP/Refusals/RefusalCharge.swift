/// Counts refused requests by code, and charges unauthenticated ones to their address.
///
/// Only refusals are charged, so that an attacker does not exclude legitimate clients with the same address.
package struct RefusalCharge: Sendable {
    private let limiter: RateLimiter
    private let count: @Sendable (String) async -> Void

    /// - Parameter count: called with the stable code of each refusal.
    package init(limiter: RateLimiter, count: @escaping @Sendable (String) async -> Void) {
        self.limiter = limiter
        self.count = count
    }

    /// Counts and charges a refusal.
    ///
    /// - Parameter isKnown: whether the request is authenticated. An unreadable request counts as unauthenticated, like
    ///   one with a wrong secret. A failure of the server (5xx) is charged to an unauthenticated caller too: a request
    ///   that provokes failures is limited as refused requests are.
    ///
    /// - Returns: the seconds to wait (429) if the address has used up its allowance of failures; nil if the refusal is
    ///   sent as it is.
    func charge(
        _ refusal: some HTTPRefusal, to address: ClientAddress, _ rateClass: RateClass, isKnown: Bool
    ) async -> Int? {
        let isFailure = refusal.status.kind == .serverError
        // 408 and 429 themselves ask the client to wait.
        guard isFailure || refusal.status.kind == .clientError, refusal.status != .requestTimeout,
            refusal.status != .tooManyRequests
        else { return nil }
        if !isKnown, case .retry(let seconds) = limiter.check(address, rateClass) { return seconds }
        if !isFailure { await count(refusal.code) }
        return nil
    }
}
