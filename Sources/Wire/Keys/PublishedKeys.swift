import Core
import Crypto
import Foundation

/// The public keys of a study as it publishes them: its own, and those of others who open each submission alone, such as a
/// coordinating centre.
///
/// They are a JWK set (RFC 7517 section 5) whose member `also` names the keys of the others; who does not know the member
/// seals to the first key, the study's own.
public struct PublishedKeys: Sendable, Hashable {
    /// The study's own keys: P-256 first, then RSA for C3-PRO's apps.
    public let own: [PublicKey]
    /// The keys of those who open each submission beside the study.
    public let others: [PublicKey]
    /// The id of the study; `nil` where the set names none.
    public let study: String?

    /// The most keys of others: an envelope has 16 recipients, and the study is one of them.
    public static let mostOthers = JWE.maximumRecipients - 1
    private static let othersName = "also"

    /// Puts a set together. Throws `recipients-invalid` where there is no key of the study's own, or too many of others.
    public init(own: [PublicKey], others: [PublicKey] = [], study: String? = nil) throws(WireError) {
        let ids = Set(own.map(\.keyID))
        let others = others.filter { !ids.contains($0.keyID) }
        guard !own.isEmpty, others.count <= Self.mostOthers else {
            throw WireError(
                .recipientsInvalid, "A study publishes a key of its own, and at most \(Self.mostOthers) of others.")
        }
        self.own = own.filter { $0.kind == .p256 } + own.filter { $0.kind == .rsa }
        self.others = others
        self.study = study
    }

    /// Reads a published set. Throws what ``PublicKey/read(from:)`` throws, and `recipients-invalid`.
    public init(reading jwks: Data) throws(WireError) {
        let keys = try PublicKey.read(from: jwks)
        let named = Set(JSON(reading: jwks)?[Self.othersName]?.texts ?? [])
        try self.init(
            own: keys.filter { !named.contains($0.keyID) }, others: keys.filter { named.contains($0.keyID) },
            study: PublicKey.study(ofKeys: jwks))
    }

    /// The keys that a submission is sealed to: one of the study's own, the one that is cheapest to open, and each of the
    /// others.
    public var recipients: [PublicKey] { own.prefix(1) + others }

    /// The study's RSA key, as C3-PRO's envelope needs one; `nil` if it has none.
    public var rsa: RSAPublicKey? {
        for case .rsa(let key) in own { return key }
        return nil
    }

    /// The set as it is published.
    public var jwks: Data { json.data() }

    var json: JSON {
        var set = PublicKey.jwksValue(own + others, study: study)
        if !others.isEmpty { set[Self.othersName] = .array(others.map { .string($0.keyID) }) }
        return set
    }

    /// A name of these keys, which changes when they do: 43 characters of base64url. The server tells it with its answers, so
    /// that devices fetch new keys at once (``StudyPath/keysHeader``).
    public var fingerprint: String {
        let ids = own.map(\.keyID) + ["also"] + others.map(\.keyID).sorted()
        return Data(SHA256.hash(data: Data(ids.joined(separator: "\n").utf8))).base64URL
    }
}
