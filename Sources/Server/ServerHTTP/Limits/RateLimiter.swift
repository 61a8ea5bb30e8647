import Synchronization

/// Token buckets by class and key: an address, the digest of a receipt, a client's id.
///
/// The number of buckets is bounded. Where it is reached, full buckets go first (they say nothing that a new one does
/// not), then those that were asked for the longest time ago.
public final class RateLimiter: Sendable {
    public enum Decision: Sendable, Hashable {
        case allowed
        /// Refuse with 429 and `Retry-After` of this many seconds (RFC 6585 section 4).
        case retry(after: Int)
    }

    private struct Key: Hashable {
        let rateClass: RateClass
        let text: String
    }

    private struct Bucket {
        /// The tokens that were left at `at`.
        var tokens: Double
        var at: Duration
        /// When somebody last asked, whether it was allowed or not.
        var asked: Duration
    }

    /// The rates in force.
    public let limits: RateLimits
    /// The most buckets.
    public let mostKeys: Int
    private let now: @Sendable () -> Duration
    private let buckets = Mutex<[Key: Bucket]>([:])

    /// - Parameters:
    ///   - mostKeys: the most buckets that are kept.
    ///   - now: time since any fixed instant, by a clock that is never set back.
    public init(limits: RateLimits = RateLimits(), mostKeys: Int = 100_000, now: @escaping @Sendable () -> Duration) {
        self.limits = limits
        self.mostKeys = max(16, mostKeys)
        self.now = now
    }

    /// A limiter by the system's steady clock.
    public convenience init(limits: RateLimits = RateLimits()) {
        let start = ContinuousClock.now
        self.init(limits: limits, now: { start.duration(to: .now) })
    }

    /// How many buckets are kept.
    public var keys: Int { @inline(never) get { buckets.withLock { $0.count } } }

    /// Takes one request from the key's bucket, if there is one.
    ///
    /// - Parameter cost: 1 for a request; 0 asks without taking, for what is charged only after it has failed.
    @inline(never)
    public func check(_ key: String, _ rateClass: RateClass, cost: Int = 1) -> Decision {
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
            if buckets[key] == nil, buckets.count >= mostKeys { evict(from: &buckets, now) }
            buckets[key] = Bucket(tokens: tokens - Double(cost), at: now, asked: now)
            return .allowed
        }
    }

    /// Takes a cost from the key's bucket that is known only after the work, whether the bucket has it or not. A bucket in debt
    /// refuses until it is refilled; the debt is at most the bucket's burst.
    @inline(never)
    public func charge(_ key: String, _ rateClass: RateClass, cost: Int) {
        let rate = limits[rateClass]
        let key = Key(rateClass: rateClass, text: key)
        let now = now()
        buckets.withLock { buckets in
            let tokens = RateLimiter.tokens(in: buckets[key], rate, now)
            if buckets[key] == nil, buckets.count >= mostKeys { evict(from: &buckets, now) }
            buckets[key] = Bucket(tokens: max(tokens - Double(cost), -Double(rate.burst)), at: now, asked: now)
        }
    }

    /// Gives back one request that was taken from the key's bucket, as for an attempt that turned out to be right.
    @inline(never)
    public func giveBack(_ key: String, _ rateClass: RateClass) {
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
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` where there is none.
    public func admit(_ key: String, _ rateClass: RateClass) throws(HTTPFailure) {
        if case .retry(let seconds) = check(key, rateClass) { throw .rateLimited(retryAfter: seconds) }
    }

    /// Takes one request from the bucket of a client and an address: for a request that names a client and has not proved to be it,
    /// so that a stranger uses up nobody else's bucket.
    ///
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` where there is none.
    public func admit(unproved client: String, at address: ClientAddress, _ rateClass: RateClass) throws(HTTPFailure) {
        try admit("\(client) from \(address.rateKey)", rateClass)
    }

    /// Takes one request from the address's bucket, as ``check(_:_:cost:)-(ClientAddress,_,_)`` has it.
    ///
    /// - Throws: ``HTTPFailure/rateLimited(retryAfter:)`` where there is none.
    public func admit(_ address: ClientAddress, _ rateClass: RateClass) throws(HTTPFailure) {
        try admit(address.rateKey, rateClass)
    }

    /// The same for an address; IPv6 addresses of one /64 share a bucket.
    public func check(_ address: ClientAddress, _ rateClass: RateClass, cost: Int = 1) -> Decision {
        check(address.rateKey, rateClass, cost: cost)
    }

    private static func tokens(in bucket: Bucket?, _ rate: Rate, _ now: Duration) -> Double {
        guard let bucket else { return Double(rate.burst) }
        let passed = max(0, (now - bucket.at) / .seconds(1))
        return min(Double(rate.burst), bucket.tokens + passed * rate.perSecond)
    }

    /// Makes room for a tenth, so that the cost of looking at all is spread over as many new keys.
    private func evict(from buckets: inout [Key: Bucket], _ now: Duration) {
        buckets = buckets.filter { key, bucket in
            let rate = limits[key.rateClass]
            return RateLimiter.tokens(in: bucket, rate, now) < Double(rate.burst)
        }
        let most = mostKeys - mostKeys / 10 - 1
        guard buckets.count > most else { return }
        let oldest = buckets.sorted { $0.value.asked < $1.value.asked }.prefix(buckets.count - most)
        for (key, _) in oldest { buckets[key] = nil }
    }
}
