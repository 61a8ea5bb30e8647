import Foundation
import Trust

/// What the receiver must know of its study. There is no private key in it.
public struct ReceiverConfiguration: Sendable {
    /// How much is taken and given at once.
    public struct Limits: Sendable, Hashable {
        /// Bytes of one submission.
        public var maximumBodyBytes: Int
        /// Bytes of one registration.
        public var maximumRegistrationBytes: Int
        /// Entries of one page of deliveries.
        public var deliveriesPerPage: Int

        public init(
            maximumBodyBytes: Int = 16 << 20, maximumRegistrationBytes: Int = 256 << 10, deliveriesPerPage: Int = 200
        ) {
            self.maximumBodyBytes = maximumBodyBytes
            self.maximumRegistrationBytes = maximumRegistrationBytes
            self.deliveriesPerPage = deliveriesPerPage
        }
    }

    /// The digest of the word that every app of the study sends in the header `Antispam`.
    public var antispam: SecretDigest
    /// The app whose receipts are taken.
    public var bundleIdentifier: String
    /// The authorities of which one must have signed a receipt. Without any nobody can register.
    public var receiptRoots: [AppReceiptRoot]
    public var limits: Limits
    /// Whether C3-PRO's envelopes are taken.
    public var acceptC3PRO: Bool
    /// Whether unsealed resources are taken; they are sealed on arrival.
    public var acceptPlainFHIR: Bool
    /// How long an access token is valid, in seconds.
    public var tokenLifetime: TimeInterval
    /// Gives the study's public keys as a JWK set (RFC 7517 section 5).
    public var publicKeys: @Sendable () async throws -> Data
    /// Gives the study's published file of a questionnaire by its id; nil if there is none.
    public var questionnaire: @Sendable (String) async throws -> Data?

    public init(
        antispam: SecretDigest, bundleIdentifier: String, receiptRoots: [AppReceiptRoot], limits: Limits = Limits(),
        acceptC3PRO: Bool = true, acceptPlainFHIR: Bool = false, tokenLifetime: TimeInterval = 1800,
        publicKeys: @escaping @Sendable () async throws -> Data,
        questionnaire: @escaping @Sendable (String) async throws -> Data?
    ) {
        self.antispam = antispam
        self.bundleIdentifier = bundleIdentifier
        self.receiptRoots = receiptRoots
        self.limits = limits
        self.acceptC3PRO = acceptC3PRO
        self.acceptPlainFHIR = acceptPlainFHIR
        self.tokenLifetime = tokenLifetime
        self.publicKeys = publicKeys
        self.questionnaire = questionnaire
    }
}
