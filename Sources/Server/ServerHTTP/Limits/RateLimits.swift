/// A class of requests with a rate limit in common.
package enum RateClass: String, Sendable, Hashable, CaseIterable {
    case registrationByAddress = "registration-by-address"
    case registrationByReceipt = "registration-by-receipt"
    case tokenByAddress = "token-by-address"
    case tokenByClient = "token-by-client"
    case submissionByClient = "submission-by-client"
    case eventsByHub = "events-by-hub"
    case unauthenticatedByAddress = "unauthenticated-by-address"
    case readByAddress = "read-by-address"
    /// Seconds of search, not requests.
    case searchSecondsByCaller = "search-seconds-by-caller"
    case signInByAddress = "sign-in-by-address"
    /// Wrong passwords of an account from one address prefix, or from one known browser.
    case signInByAccount = "sign-in-by-account"
    /// Wrong passwords of an account from all unknown browsers.
    case signInByAccountOverall = "sign-in-by-account-overall"
    /// Registrations of apps and wallets.
    case csiRegistrationByAddress = "csi-registration-by-address"
}

/// The parameters of a token bucket.
package struct Rate: Sendable, Hashable {
    /// Sustained rate in requests per second.
    package let perSecond: Double
    /// Maximum number of requests at once after a pause.
    package let burst: Int

    /// - Throws: `rate-invalid` unless the rate is above 0 and up to 1,000,000, and the burst is from 1 to 1,000,000.
    package init(perSecond: Double, burst: Int) throws(ServerHTTPError) {
        guard perSecond > 0, perSecond <= 1_000_000, 1...1_000_000 ~= burst else {
            throw ServerHTTPError(
                code: "rate-invalid",
                message: "A rate is above 0 and at most 1,000,000 a second, its burst between 1 and 1,000,000.")
        }
        self.init(unchecked: perSecond, burst)
    }

    fileprivate init(unchecked perSecond: Double, _ burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// The rate of each class. With the defaults, twenty phones with one address in common can each send queues of hundreds
/// of submissions at once.
package struct RateLimits: Sendable, Hashable {
    private var rates: [RateClass: Rate]

    /// Creates the default rates.
    package init() { rates = RateLimits.defaults }

    /// Creates the default rates with some replaced.
    ///
    /// - Throws: `rate-class-unknown` for a name that is no ``RateClass``'s raw value.
    package init(replacing named: [String: Rate]) throws(ServerHTTPError) {
        self.init()
        for (name, rate) in named {
            guard let rateClass = RateClass(rawValue: name) else {
                let known = RateClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServerHTTPError(code: "rate-class-unknown", message: "Rates are given for: \(known).")
            }
            rates[rateClass] = rate
        }
    }

    package subscript(rateClass: RateClass) -> Rate {
        get { rates[rateClass] ?? Rate(unchecked: 1, 1) }
        set { rates[rateClass] = newValue }
    }

    private static let defaults: [RateClass: Rate] = [
        .registrationByAddress: Rate(unchecked: 5, 200),
        .registrationByReceipt: Rate(unchecked: 0.1, 20),
        .tokenByAddress: Rate(unchecked: 50, 1_000),
        .tokenByClient: Rate(unchecked: 10, 600),
        .submissionByClient: Rate(unchecked: 100, 2_000),
        .eventsByHub: Rate(unchecked: 500, 10_000),
        .unauthenticatedByAddress: Rate(unchecked: 20, 400),
        .readByAddress: Rate(unchecked: 200, 4_000),
        .searchSecondsByCaller: Rate(unchecked: 1, 60),
        .signInByAddress: Rate(unchecked: 0.5, 60),
        .signInByAccount: Rate(unchecked: 0.02, 10),
        .signInByAccountOverall: Rate(unchecked: 0.02, 100),
        .csiRegistrationByAddress: Rate(unchecked: 1, 60),
    ]
}
