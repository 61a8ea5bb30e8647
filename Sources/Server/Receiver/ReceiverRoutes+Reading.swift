import AccessPolicy
import Audit
import Core
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Submissions
import Wire

extension ReceiverRoutes {
    /// `GET /.well-known/jwks.json`: the public keys for sealing.
    func publishedKeys(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        let keys = try await validKeys()
        let set = try PublishedKeys(own: keys.own, others: keys.others, study: configuration.study)
        return .bytes(
            ByteBuffer(bytes: set.jwks), mediaType: "application/jwk-set+json",
            cacheControl: "max-age=60")
    }

    /// `GET /study/consent`: the versions of the study's consent that may be signed, without authentication, because
    /// people read them before they join.
    func publishedConsents(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        return .bytes(
            ByteBuffer(bytes: try await configuration.consents()), mediaType: "application/fhir+json",
            cacheControl: "max-age=60")
    }

    /// `GET /study/keys`: the same keys, signed by the study's root key. Content that is not a JWS is not returned.
    func signedKeys(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        guard let set = try? await configuration.signedKeys(), let jws = try? JWS(compact: set) else {
            throw HTTPFailure(
                .notFound, code: "keys-unsigned", message: "The study has signed no keys; see `tributary keys publish`."
            )
        }
        return .bytes(ByteBuffer(bytes: jws.bytes), mediaType: "application/jose", cacheControl: "max-age=60")
    }

    /// Returns the study's published keys. They are parsed and encoded again, so that no other content of the file,
    /// such as a private key, is disclosed.
    func validKeys() async throws -> PublishedKeys {
        guard let bytes = try? await configuration.publicKeys(), let keys = try? PublishedKeys(reading: bytes) else {
            throw HTTPFailure(
                .serviceUnavailable, code: "keys-unavailable",
                message: "The study's public keys are not available. Try again later.",
                headers: [.retryAfter: "60"])
        }
        return keys
    }

    /// `GET /health`: 200 while the process responds.
    func health(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        return .json(["status": "ok"])
    }

    /// `GET /deliveries?after=CURSOR`: outcomes of the device's own submissions.
    func deliveries(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let actor = try await authenticate(request, context)
        // Limit by device, because several devices may share an address.
        try configuration.limiter.admit(actor.id, .readByAddress)
        try permit(actor, action: .readDeliveries, target: Target(resourceID: actor.id))
        guard let query = request.queryForm, !query.hasDuplicates, let after = cursor(query["after"]) else {
            throw HTTPFailure(
                .badRequest, code: "cursor-invalid",
                message: "The parameter after must be the last page's next, or be left out.")
        }
        let found = try await queue.deliveries(
            enrolmentID: actor.enrolmentID ?? actor.id, after: after, limit: configuration.limits.deliveriesPerPage)
        // Report missing numbers only on the last page.
        var missing: [DeliveriesPage.Missing]?
        if found.count < configuration.limits.deliveriesPerPage {
            missing = try await queue.missing(enrolmentID: actor.enrolmentID ?? actor.id, limit: Self.maximumMissing)
                .map {
                    .init(from: $0.from, to: $0.to, since: SQLTimestamp.text($0.since))
                }
        }
        return .json(
            DeliveriesPage(
                deliveries: found.map(Self.reported), next: "\(configuration.epoch)-\(found.last?.change ?? after)",
                epoch: configuration.epoch, missing: missing), headers: await keysHeader())
    }

    /// Header with the fingerprint of the published keys: a device with other keys fetches them.
    func keysHeader() async -> HTTPFields {
        guard let fingerprint = await keysCache.fingerprint() else { return [:] }
        return [.keys: fingerprint]
    }

    /// Maximum number of reported gaps in a device's numbers.
    private static let maximumMissing = 100

    /// Parses a cursor. Returns 0 for the beginning, and for a cursor of another epoch, which counts the changes of the
    /// store before a restore; nil for any text that is not a cursor.
    private func cursor(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty else { return 0 }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let last = parts.last.flatMap({ Int64($0) })
        else { return nil }
        return parts.count == 2 && Int64(parts[0]) == configuration.epoch ? last : 0
    }

    /// Reasons that are reported to a device; others are omitted.
    static let reportedReasons: Set<String> = [
        "consent-required", "consent-renewal-required", "consent-withdrawn", "consent-suspended", "contract-unknown",
        "subject-mismatch",
        "subject-missing",
        "subject-not-permitted", "not-bound", "already-bound", "other-participant", "resource-invalid",
        "resource-type-not-accepted", "fhir-version-unsupported", "inclusion-not-in-consent", "needs-attention",
        "discarded", DeletionRegister.code,
    ]

    /// Reasons of quarantined submissions that are reported to a device, because the app, its form or its signature is
    /// the cause. The code reveals only the violated rule.
    static let reportedReasonsOfQuarantined: Set<String> = [
        "answers-invalid", "contract-retired", "form-unknown", "identifying-data", "signature-missing",
        "signature-invalid", "signature-conflict", "invitation-required", "invitation-refused", "consent-out-of-order",
        "link-expired", "link-invalid", "link-unknown", "link-used",
    ]

    /// Returns a delivery for its device. A quarantined submission is reported as held, because nearly all reasons
    /// concern only the staff.
    private static func reported(_ delivery: Delivery) -> DeliveriesPage.Delivery {
        let isQuarantined = delivery.status == .quarantined
        let needsAttention = isQuarantined || delivery.reasonCode == "key-unknown"
        let reasons = needsAttention ? reportedReasonsOfQuarantined : reportedReasons
        let reason = delivery.reasonCode.flatMap { reasons.contains($0) ? $0 : nil }
        return DeliveriesPage.Delivery(
            submission: delivery.submissionID, status: (isQuarantined ? .held : delivery.status).rawValue,
            at: SQLTimestamp.text(delivery.at), reason: reason ?? (needsAttention ? "needs-attention" : nil))
    }
}
