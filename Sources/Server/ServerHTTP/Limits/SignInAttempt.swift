import Core
import Crypto
import Foundation

/// One sign-in attempt, and the rate-limit buckets that count it.
///
/// Wrong passwords are counted by account and address prefix, so that a stranger locks the account for their own
/// address only. They are also counted, with a higher limit, by account over all addresses. A known browser has a
/// bucket of its own and no other.
package struct SignInAttempt: Sendable {
    /// Seconds after which a person may try again if the queue of password checks is full.
    package static let retryAfter = "5"

    /// Whether the browser is known: a person signed in with the same account from it before.
    package let isKnown: Bool
    /// The address of the caller.
    package let address: ClientAddress
    /// The keys of the buckets, which contain no name.
    private let own: String
    private let overall: String?

    /// - Parameter browser: the name of a known browser; nil for any other.
    package init(username: String, browser: String? = nil, address: ClientAddress) {
        let name = Data(SHA256.hash(data: Data(username.lowercased().utf8))).base64URL
        self.address = address
        isKnown = browser != nil
        own = name + (browser.map { " browser " + $0 } ?? " from " + address.householdPrefix)
        overall = browser == nil ? name : nil
    }

    /// Counts the attempt.
    ///
    /// - Throws: ``HTTPFailure`` 429 if one of the buckets is empty.
    package func count(_ limiter: RateLimiter) throws(HTTPFailure) {
        if overall != nil { try limiter.admit(address, .signInByAddress) }
        try limiter.admit(own, .signInByAccount)
        guard let overall, case .retry(let seconds) = limiter.check(overall, .signInByAccountOverall) else { return }
        limiter.giveBack(own, .signInByAccount)
        throw .rateLimited(retryAfter: seconds)
    }

    /// Returns the tokens of an attempt that was correct or was not checked.
    package func giveBack(_ limiter: RateLimiter) {
        limiter.giveBack(own, .signInByAccount)
        if let overall { limiter.giveBack(overall, .signInByAccountOverall) }
    }
}
