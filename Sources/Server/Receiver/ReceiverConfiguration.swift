import Foundation
import ServerHTTP
import Trust

/// The configuration of the receiver for its study. There is no private key in it.
public struct ReceiverConfiguration: Sendable {
    /// The limits to how much is taken and given at once.
    public struct Limits: Sendable, Hashable {
        /// Bytes of one submission.
        public var maximumBodyBytes: Int
        /// Bytes of one registration.
        public var maximumRegistrationBytes: Int
        /// Entries of one page of deliveries.
        public var deliveriesPerPage: Int
        /// Bytes that one device may have waiting for consent or for the staff.
        public var heldBytesPerDevice: Int

        public init(
            maximumBodyBytes: Int = 16 << 20, maximumRegistrationBytes: Int = 256 << 10, deliveriesPerPage: Int = 200,
            heldBytesPerDevice: Int = 256 << 20
        ) {
            self.maximumBodyBytes = maximumBodyBytes
            self.maximumRegistrationBytes = maximumRegistrationBytes
            self.deliveriesPerPage = deliveriesPerPage
            self.heldBytesPerDevice = heldBytesPerDevice
        }
    }

    /// The digest of the word that every app of the study sends in the header `Antispam`.
    public var antispam: SecretDigest
    /// The app whose receipts are taken.
    public var bundleIdentifier: String
    /// The authorities of which one must have signed a receipt. Without any nobody can register.
    public var receiptRoots: [AppReceiptRoot]
    public var limits: Limits
    /// How often who may ask.
    public var limiter: RateLimiter
    /// The bytes of bodies that are in memory at a time.
    public var bodies: BodyBudget
    /// Whether C3-PRO's envelopes are taken, and the Patient that its apps put unsealed.
    public var acceptC3PRO: Bool
    /// Whether unsealed resources are taken; they are sealed on arrival.
    public var acceptPlainFHIR: Bool
    /// How long an access token is valid, in seconds.
    public var tokenLifetime: TimeInterval
    /// The epoch of the queue's store (``Storage/QueueState/epoch``): cursors of another one begin anew.
    public var epoch: Int64
    /// The study's id, which its published keys name: devices sign for it. Nil leaves devices without it unsigned.
    public var study: String?
    /// The member of the staff who has a token, where the records' store is at hand; nil in a process that does not open
    /// it.
    public var authenticateStaff: (@Sendable (String) async throws -> Actor?)?
    /// Gives the study's public keys as a JWK set (RFC 7517 section 5).
    public var publicKeys: @Sendable () async throws -> Data
    /// Gives the public keys as the study's root key signed them (``Wire/SignedKeySet``); nil where nobody did.
    public var signedKeys: @Sendable () async throws -> Data?
    /// Gives what the study publishes, in the release of FHIR that is asked for.
    public var published: PublishedReading
    /// Where others reach the server, for the links in answers; nil for what a request says in `Host`.
    public var address: PublicAddress?
    /// `https` where the server speaks TLS, for the links where there is no address.
    public var scheme: String
    /// Gives the versions of the study's consent that may be signed, as a Bundle in JSON.
    public var consents: @Sendable () async throws -> Data
    /// Gives one of ``StudyHealthFile`` by its name; nil where the study has none.
    public var healthFile: @Sendable (String) async throws -> Data?

    public init(
        antispam: SecretDigest, bundleIdentifier: String, receiptRoots: [AppReceiptRoot], limits: Limits = Limits(),
        limiter: RateLimiter = RateLimiter(), bodies: BodyBudget = BodyBudget(bytes: 128 << 20),
        acceptC3PRO: Bool = true, acceptPlainFHIR: Bool = false, tokenLifetime: TimeInterval = 1800,
        epoch: Int64 = 1, study: String? = nil, authenticateStaff: (@Sendable (String) async throws -> Actor?)? = nil,
        publicKeys: @escaping @Sendable () async throws -> Data,
        signedKeys: @escaping @Sendable () async throws -> Data? = { nil },
        published: PublishedReading, address: PublicAddress? = nil, scheme: String = "http",
        consents: @escaping @Sendable () async throws -> Data,
        healthFile: @escaping @Sendable (String) async throws -> Data? = { _ in nil }
    ) {
        self.antispam = antispam
        self.bundleIdentifier = bundleIdentifier
        self.receiptRoots = receiptRoots
        self.limits = limits
        self.limiter = limiter
        self.bodies = bodies
        self.acceptC3PRO = acceptC3PRO
        self.acceptPlainFHIR = acceptPlainFHIR
        self.tokenLifetime = tokenLifetime
        self.epoch = epoch
        self.study = study
        self.authenticateStaff = authenticateStaff
        self.publicKeys = publicKeys
        self.signedKeys = signedKeys
        self.published = published
        self.address = address
        self.scheme = scheme
        self.consents = consents
        self.healthFile = healthFile
    }
}
