import Foundation
import ServerHTTP
import Trust

/// Configuration of the receiver for its study. It contains no private key.
public struct ReceiverConfiguration: Sendable {
    /// Limits of requests and responses.
    public struct Limits: Sendable, Hashable {
        /// Maximum bytes of one submission.
        public var maximumBodyBytes: Int
        /// Maximum bytes of one registration.
        public var maximumRegistrationBytes: Int
        /// Maximum entries of one page of deliveries.
        public var deliveriesPerPage: Int
        /// Maximum bytes of one device's held and quarantined submissions.
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

    /// Digest of the word that every app of the study sends in the header `Antispam`.
    public var antispam: SecretDigest
    /// App whose receipts are accepted.
    public var bundleIdentifier: String
    /// Trusted authorities for receipts; without any, no device can register.
    public var receiptRoots: [AppReceiptRoot]
    public var limits: Limits
    /// Rate limits by request class.
    public var limiter: RateLimiter
    /// Budget of bytes of request bodies in memory.
    public var bodies: BodyBudget
    /// Whether C3-PRO's envelopes are accepted, and the unsealed Patient that its apps PUT.
    public var acceptC3PRO: Bool
    /// Whether unsealed resources are accepted; they are sealed on arrival.
    public var acceptPlainFHIR: Bool
    /// Lifetime of an access token in seconds.
    public var tokenLifetime: TimeInterval
    /// Epoch of the queue's store (``Storage/QueueState/epoch``): cursors of another epoch start from the beginning.
    public var epoch: Int64
    /// Id of the study in its published keys, which devices include in signatures. Without it, nil, devices do not
    /// sign.
    public var study: String?
    /// Returns the member of staff with a token; nil in a process that does not open the records' store.
    public var authenticateStaff: (@Sendable (String) async throws -> Actor?)?
    /// Returns the study's public keys as a JWK set (RFC 7517 section 5).
    public var publicKeys: @Sendable () async throws -> Data
    /// Returns the public keys signed by the study's root key (``Wire/SignedKeySet``); nil if there is no signed set.
    public var signedKeys: @Sendable () async throws -> Data?
    /// The study's published resources, in the requested release of FHIR.
    public var published: PublishedReading
    /// Public address of the server, for links in responses; nil to use the request's `Host`.
    public var address: PublicAddress?
    /// `https` if the server uses TLS, for links without an address.
    public var scheme: String
    /// Returns the versions of the study's consent that may be signed, as a Bundle in JSON.
    public var consents: @Sendable () async throws -> Data
    /// Returns the content of a ``StudyHealthFile`` by its name; nil if the study has none.
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
