import Core
import Crypto
import Foundation
import ServerHTTP
import Trust

/// One attempt to sign in, and the buckets that count it.
///
/// Wrong passwords are counted by account and address prefix, so that a stranger locks the account for their own address alone,
/// and more slowly by account over all addresses. A known browser has a bucket of its own and no other.
struct SignInAttempt {
    /// Seconds after which a person whom a full queue refused tries again.
    static let retryAfter = "5"

    /// Where the password comes from.
    let origin: PasswordChecker.Origin
    private let address: ClientAddress
    /// The keys of the buckets, which hold no name.
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
    /// - Throws: ``ServerHTTP/HTTPFailure`` 429 where one of the buckets is empty.
    func count(_ limiter: RateLimiter) throws(HTTPFailure) {
        if overall != nil { try limiter.admit(address, .signInByAddress) }
        try limiter.admit(own, .signInByAccount)
        guard let overall, case .retry(let seconds) = limiter.check(overall, .signInByAccountOverall) else { return }
        limiter.giveBack(own, .signInByAccount)
        throw .rateLimited(retryAfter: seconds)
    }

    /// Gives back what an attempt took that was right, or was not checked.
    func giveBack(_ limiter: RateLimiter) {
        limiter.giveBack(own, .signInByAccount)
        if let overall { limiter.giveBack(overall, .signInByAccountOverall) }
    }
}
