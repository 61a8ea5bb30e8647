import AccessPolicy
import Foundation
import Identity
import ServerHTTP

/// Configuration of the receiver for its study. It contains no private key.
package struct ReceiverConfiguration: Sendable {
    /// Limits of requests and responses.
    package struct Limits: Sendable, Hashable {
        /// Maximum bytes of one submission.
        package var maximumBodyBytes: Int
        /// Maximum bytes of one registration.
        package var maximumRegistrationBytes: Int
        /// Maximum entries of one page of deliveries.
        package var deliveriesPerPage: Int
        /// Maximum bytes of one device's held and quarantined submissions.
        package var heldBytesPerDevice: Int

        package init(
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
    package var antispam: SecretDigest
    /// App whose receipts are accepted; nil if the study has no app.
    package var bundleIdentifier: String?
    /// Proofs by which devices may enrol.
    package var enrolment: Set<EnrolmentMethod>
    /// Trusted authorities for receipts; without any, no device can register.
    package var receiptRoots: [AppReceiptRoot]
    package var limits: Limits
    /// Rate limits by request class.
    package var limiter: RateLimiter
    /// Budget of bytes of request bodies in memory.
    package var bodies: BodyBudget
    /// Whether C3-PRO's envelopes are accepted, and the unsealed Patient that its apps PUT.
    package var acceptC3PRO: Bool
    /// Whether unsealed resources are accepted; they are sealed on arrival.
    package var acceptPlainFHIR: Bool
    /// Lifetime of an access token in seconds.
    package var tokenLifetime: TimeInterval
    /// Epoch of the queue's store (``Storage/QueueState/epoch``): cursors of another epoch start from the beginning.
    package var epoch: Int64
    /// Id of the study in its published keys, which devices include in signatures. Without it, nil, devices do not
    /// sign.
    package var study: String?
    /// Returns the member of staff with a token; nil in a process that does not open the records' store.
    package var authenticateStaff: (@Sendable (String) async throws -> Actor?)?
    /// Returns the study's public keys as a JWK set (RFC 7517 section 5).
    package var publicKeys: @Sendable () async throws -> Data
    /// Returns the public keys signed by the study's root key (``Wire/SignedKeySet``); nil if there is no signed set.
    package var signedKeys: @Sendable () async throws -> Data?
    /// The study's published resources, in the requested release of FHIR.
    package var published: PublishedReading
    /// Public address of the server, for links in responses; nil to use the request's `Host`.
    package var address: PublicAddress?
    /// `https` if the server uses TLS, for links without an address.
    package var scheme: String
    /// Returns the versions of the study's consent that may be signed, as a Bundle in JSON.
    package var consents: @Sendable () async throws -> Data
    /// Returns the content of a ``StudyHealthFile`` by its name; nil if the study has none.
    package var healthFile: @Sendable (String) async throws -> Data?

    package init(
        antispam: SecretDigest, bundleIdentifier: String?, receiptRoots: [AppReceiptRoot],
        enrolment: Set<EnrolmentMethod> = [.receipt], limits: Limits = Limits(),
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
        self.enrolment = enrolment
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
