import Synchronization

/// Token buckets by class and key. A key is an address, the digest of a receipt or a client's id.
///
/// The number of buckets is limited. At the limit, full buckets are removed first (a new bucket is full too), then the
/// least recently requested ones.
package final class RateLimiter: Sendable {
    package enum Decision: Sendable, Hashable {
        case allowed
        /// Refuse with 429 and `Retry-After` of this many seconds (RFC 6585 section 4).
        case retry(after: Int)
    }

    private struct Key: Hashable {
        let rateClass: RateClass
        let text: String
    }

    private struct Bucket {
        /// The number of tokens at `at`.
        var tokens: Double
        var at: Duration
        /// The time of the last request, allowed or refused.
        var asked: Duration
    }

    /// The rates in force.
    package let limits: RateLimits
    /// Maximum number of buckets.
    package let maximumKeys: Int
    private let now: @Sendable () -> Duration
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// - Parameters:
    ///   - maximumKeys: maximum number of buckets.
    ///   - now: the time since any fixed instant, by a monotonic clock.
    package init(limits: RateLimits = RateLimits(), maximumKeys: Int = 100_000, now: @escaping @Sendable () -> Duration)
    {
        self.limits = limits
        self.maximumKeys = max(16, maximumKeys)
        self.now = now
    }

    /// Creates a limiter with the system's monotonic clock.
    package convenience init(limits: RateLimits = RateLimits()) {
        let start = ContinuousClock.now
        self.init(limits: limits, now: { start.duration(to: .now) })
    }

    /// The number of buckets.
    package var keys: Int { @inline(never) get { buckets.withLock { $0.count } } }

    /// Takes the cost of a request from the key's bucket if it has enough tokens.
    ///
    /// - Parameter cost: 1 for a request; 0 to check without taking, for requests that are charged only after they have
    ///   failed.
    @inline(never)
    package func check(_ key: String, _ rateClass: RateClass, cost: Int = 1) -> Decision {
        let rate = limits[rateClass]
        let key = Key(rateClass: rateClass, text: key)
        let now = now()
        return buckets.withLock { buckets in
            let tokens = RateLimiter.tokens(in: buckets[key], rate, now)
            let needed = Double(max(1, cost))
            guard tokens >= needed else {
                buckets[key]?.asked = now
                let seconds = ((needed - tokens) / rate.perSecond).rounded(.up)
                return .retry(after: max(1, Int(min(seconds, 3_600))))
            }
            guard cost > 0 else { return .allowed }
            if buckets[key] == nil, buckets.count >= maximumKeys { evict(from: &buckets, now) }
            buckets[key] = Bucket(tokens: tokens - Double(cost), at: now, asked: now)
            return .allowed
        }
    }

    /// Takes a cost that is known only after the work from the key's bucket, even if the bucket has too few tokens. A
    /// bucket in debt refuses requests until it is refilled; the debt is limited to the bucket's burst.
    @inline(never)
    package func charge(_ key: String, _ rateClass: RateClass, cost: Int) {
        let rate = limits[rateClass]
        let key = Key(rateClass: rateClass, text: key)
        let now = now()
        buckets.withLock { buckets in
            let tokens = RateLimiter.tokens(in: buckets[key], rate, now)
            if buckets[key] == nil, buckets.count >= maximumKeys { evict(from: &buckets, now) }
            buckets[key] = Bucket(tokens: max(tokens - Double(cost), -Double(rate.burst)), at: now, asked: now)
        }
    }

    /// Returns one token to the key's bucket, for instance for an attempt that turned out to be legitimate.
    @inline(never)
    package func giveBack(_ key: String, _ rateClass: RateClass) {
        let rate = limits[rateClass]
        let key = Key(rateClass: rateClass, text: key)
        let now = now()
        buckets.withLock { buckets in
            guard let bucket = buckets[key] else { return }
            let tokens = min(Double(rate.burst), RateLimiter.tokens(in: bucket, rate, now) + 1)
            buckets[key] = Bucket(tokens: tokens, at: now, asked: now)
        }
    }

    /// Takes one request from the key's bucket.
    ///
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` if the bucket has no token.
    package func admit(_ key: String, _ rateClass: RateClass) throws(HTTPFailure) {
        if case .retry(let seconds) = check(key, rateClass) { throw .rateLimited(retryAfter: seconds) }
    }

    /// Takes one request from the bucket of a client and an address. For an unauthenticated request that names a
    /// client: a stranger cannot use up the bucket of the real client.
    ///
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` if the bucket has no token.
    package func admit(unproved client: String, at address: ClientAddress, _ rateClass: RateClass) throws(HTTPFailure) {
        try admit("\(client) from \(address.rateKey)", rateClass)
    }

    /// Takes one request from the address's bucket, see ``check(_:_:cost:)-(ClientAddress,_,_)``.
    ///
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` if the bucket has no token.
    package func admit(_ address: ClientAddress, _ rateClass: RateClass) throws(HTTPFailure) {
        try admit(address.rateKey, rateClass)
    }

    /// Takes the cost of a request from the bucket of an address. IPv6 addresses of one /64 share a bucket.
    package func check(_ address: ClientAddress, _ rateClass: RateClass, cost: Int = 1) -> Decision {
        check(address.rateKey, rateClass, cost: cost)
    }

    private static func tokens(in bucket: Bucket?, _ rate: Rate, _ now: Duration) -> Double {
        guard let bucket else { return Double(rate.burst) }
        let passed = max(0, (now - bucket.at) / .seconds(1))
        return min(Double(rate.burst), bucket.tokens + passed * rate.perSecond)
    }

    /// Removes buckets until a tenth is free, so that the cost of the scan is spread over many new keys.
    private func evict(from buckets: inout [Key: Bucket], _ now: Duration) {
        buckets = buckets.filter { key, bucket in
            let rate = limits[key.rateClass]
            return RateLimiter.tokens(in: bucket, rate, now) < Double(rate.burst)
        }
        let limit = maximumKeys - maximumKeys / 10 - 1
        guard buckets.count > limit else { return }
        let oldest = buckets.sorted { $0.value.asked < $1.value.asked }.prefix(buckets.count - limit)
        for (key, _) in oldest { buckets[key] = nil }
    }
}
