import Core
import Crypto
import Foundation

/// The public keys that a study publishes: its own, and those of other parties that can open each submission, such as a
/// coordinating centre.
///
/// They are a JWK set (RFC 7517 section 5) whose member `also` lists the ids of the other parties' keys. A client that
/// does not know this member seals to the first key, the study's own.
public struct PublishedKeys: Sendable, Hashable {
    /// The study's own keys: P-256 first, then RSA for C3-PRO's apps.
    public let own: [PublicKey]
    /// The keys of other parties that can open each submission too.
    public let others: [PublicKey]
    /// The id of the study; `nil` if the set does not name one.
    public let study: String?

    /// Maximum number of other parties' keys: an envelope has 16 recipients, and the study is one of them.
    public static let maximumOthers = JWE.maximumRecipients - 1
    private static let othersName = "also"

    /// Creates a set. Throws `recipients-invalid` if there is no key of the study's own, or too many of other parties.
    public init(own: [PublicKey], others: [PublicKey] = [], study: String? = nil) throws(WireError) {
        let ids = Set(own.map(\.keyID))
        let others = others.filter { !ids.contains($0.keyID) }
        guard !own.isEmpty, others.count <= Self.maximumOthers else {
            throw WireError(
                .recipientsInvalid, "A study publishes a key of its own, and up to \(Self.maximumOthers) of others.")
        }
        self.own = own.filter { $0.kind == .p256 } + own.filter { $0.kind == .rsa }
        self.others = others
        self.study = study
    }

    /// Reads a published set. Throws the errors of ``PublicKey/read(from:)``, and `recipients-invalid`.
    public init(reading jwks: Data) throws(WireError) {
        let keys = try PublicKey.read(from: jwks)
        let named = Set(JSON(reading: jwks)?[Self.othersName]?.texts ?? [])
        try self.init(
            own: keys.filter { !named.contains($0.keyID) }, others: keys.filter { named.contains($0.keyID) },
            study: PublicKey.study(ofKeys: jwks))
    }

    /// The keys to which a submission is sealed: the study's own key that is cheapest to open, and each key of the
    /// other parties.
    public var recipients: [PublicKey] { own.prefix(1) + others }

    /// The study's RSA key, which C3-PRO's envelope requires; `nil` if it has none.
    public var rsa: RSAPublicKey? {
        for case .rsa(let key) in own { return key }
        return nil
    }

    /// The published form of the set.
    public var jwks: Data { json.data() }

    var json: JSON {
        var set = PublicKey.jwksValue(own + others, study: study)
        if !others.isEmpty { set[Self.othersName] = .array(others.map { .string($0.keyID) }) }
        return set
    }

    /// An id of these keys, which changes when they change: 43 characters of base64url. The server sends it with its
    /// responses, so that devices fetch new keys at once (``StudyPath/keysHeader``).
    public var fingerprint: String {
        let ids = own.map(\.keyID) + ["also"] + others.map(\.keyID).sorted()
        return Data(SHA256.hash(data: Data(ids.joined(separator: "\n").utf8))).base64URL
    }
}
