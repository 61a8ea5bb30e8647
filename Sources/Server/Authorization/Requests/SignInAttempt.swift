import Core
import Crypto
import Foundation
import Identity
import ServerHTTP

/// One sign-in attempt, and the rate-limit buckets that count it.
///
/// Wrong passwords are counted by account and address prefix, so that a stranger locks the account for their own
/// address only. They are also counted, with a higher limit, by account over all addresses. A known browser has a
/// bucket of its own and no other.
struct SignInAttempt {
    /// Seconds after which a person may try again if the queue of password checks is full.
    static let retryAfter = "5"

    /// The origin of the password.
    let origin: PasswordChecker.Origin
    private let address: ClientAddress
    /// The keys of the buckets, which contain no name.
    private let own: String
    private let overall: String?

    /// - Parameter browser: the name of a known browser (``KnownBrowser``).
    init(username: String, browser: String?, address: ClientAddress) {
        let name = Data(SHA256.hash(data: Data(username.lowercased().utf8))).base64URL
        self.address = address
        origin = PasswordChecker.Origin(
            wide: address.sitePrefix, narrow: address.householdPrefix, isKnown: browser != nil)
        own = name + (browser.map { " browser " + $0 } ?? " from " + address.householdPrefix)
        overall = browser == nil ? name : nil
    }

    /// Counts the attempt.
    ///
    /// - Throws: ``ServerHTTP/HTTPFailure`` 429 if one of the buckets is empty.
    func count(_ limiter: RateLimiter) throws(HTTPFailure) {
        if overall != nil { try limiter.admit(address, .signInByAddress) }
        try limiter.admit(own, .signInByAccount)
        guard let overall, case .retry(let seconds) = limiter.check(overall, .signInByAccountOverall) else { return }
        limiter.giveBack(own, .signInByAccount)
        throw .rateLimited(retryAfter: seconds)
    }

    /// Returns the tokens of an attempt that was correct or was not checked.
    func giveBack(_ limiter: RateLimiter) {
        limiter.giveBack(own, .signInByAccount)
        if let overall { limiter.giveBack(overall, .signInByAccountOverall) }
    }
}
