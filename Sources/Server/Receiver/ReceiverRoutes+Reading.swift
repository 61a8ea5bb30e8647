import Core
import HTTPTypes
import Hummingbird
import ServerHTTP
import Storage
import Trust
import Wire

extension ReceiverRoutes {
    /// `GET /.well-known/jwks.json`: the keys to seal to.
    func publishedKeys(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        let keys = try await validKeys()
        let set = try PublishedKeys(own: keys.own, others: keys.others, study: configuration.study)
        return .bytes(
            ByteBuffer(bytes: set.jwks), mediaType: "application/jwk-set+json",
            cacheControl: "max-age=60")
    }

    /// `GET /study/consent`: the versions of the study's consent that may be signed. Whoever may join reads them, before they
    /// are known here.
    func publishedConsents(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        return .bytes(
            ByteBuffer(bytes: try await configuration.consents()), mediaType: "application/fhir+json",
            cacheControl: "max-age=60")
    }

    /// `GET /study/keys`: the same, signed by the study's root key. What stands in the file and is no JWS does not leave.
    func signedKeys(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        guard let set = try? await configuration.signedKeys(), let jws = try? JWS(compact: set) else {
            throw HTTPFailure(
                .notFound, "keys-unsigned", "The study has signed no keys; see `tributary keys publish`.")
        }
        return .bytes(ByteBuffer(bytes: jws.bytes), mediaType: "application/jose", cacheControl: "max-age=60")
    }

    /// The keys that the study publishes. Read and written anew, so that whatever else stood there, and were it a
    /// private key, does not leave.
    func validKeys() async throws -> PublishedKeys {
        guard let bytes = try? await configuration.publicKeys(), let keys = try? PublishedKeys(reading: bytes) else {
            throw HTTPFailure(
                .serviceUnavailable, "keys-unavailable", "The study's public keys are not there. Try again later.",
                headers: [.retryAfter: "60"])
        }
        return keys
    }

    /// `GET /health`: 200 while the process answers.
    func health(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        try configuration.limiter.admit(context.client, .readByAddress)
        return .json(["status": "ok"])
    }

    /// `GET /deliveries?after=CURSOR`: what became of the device's own submissions.
    func deliveries(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let actor = try await authenticate(request, context)
        // By the device, so that of those behind one address none silences another.
        try configuration.limiter.admit(actor.id, .readByAddress)
        try permit(actor, .readDeliveries, Target(resourceID: actor.id))
        guard let query = request.queryForm, !query.hasDuplicates, let after = cursor(query["after"]) else {
            throw HTTPFailure(
                .badRequest, "cursor-invalid",
                "The parameter after must be the last page's next, or be left out.")
        }
        let found = try await queue.deliveries(
            lane: actor.enrolmentID ?? actor.id, after: after, limit: configuration.limits.deliveriesPerPage)
        // What never came is told once, where the list ends.
        var missing: [DeliveriesPage.Missing]?
        if found.count < configuration.limits.deliveriesPerPage {
            missing = try await queue.missing(lane: actor.enrolmentID ?? actor.id, limit: Self.mostMissing).map {
                .init(from: $0.from, to: $0.to, since: SQLTimestamp.text($0.since))
            }
        }
        return .json(
            DeliveriesPage(
                deliveries: found.map(Self.told), next: "\(configuration.epoch)-\(found.last?.change ?? after)",
                epoch: configuration.epoch, missing: missing), headers: await keysHeader())
    }

    /// What an answer to a device tells of the published keys: one that has others fetches them.
    func keysHeader() async -> HTTPFields {
        guard let fingerprint = await keysCache.fingerprint() else { return [:] }
        return [.keys: fingerprint]
    }

    /// How many holes in a device's numbers are told at a time.
    private static let mostMissing = 100

    /// 0 for the beginning, where also a cursor of another epoch leads: it counts the changes of a store that is no more,
    /// for this one was restored from a backup. nil for what no page of ours has given.
    private func cursor(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty else { return 0 }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let last = parts.last.flatMap({ Int64($0) })
        else { return nil }
        return parts.count == 2 && Int64(parts[0]) == configuration.epoch ? last : 0
    }

    /// The reasons that a device may be told. What is not here is told without a reason.
    static let toldReasons: Set<String> = [
        "consent-required", "consent-renewal-required", "consent-withdrawn", "consent-suspended", "contract-unknown",
        "subject-mismatch",
        "subject-missing",
        "subject-not-permitted", "not-bound", "already-bound", "other-participant", "resource-invalid",
        "resource-type-not-accepted", "fhir-version-unsupported", "inclusion-not-in-consent", "needs-attention",
        "discarded", DeletionRegister.code,
    ]

    /// The reasons that a device is told of a submission that the staff must look at: the app, or the form that it shows,
    /// is at fault, or the way in which it signs. The code says no more than which rule was broken.
    static let toldReasonsOfQuarantined: Set<String> = [
        "answers-invalid", "contract-retired", "form-unknown", "identifying-data", "signature-missing",
        "signature-invalid", "signature-conflict", "invitation-required", "invitation-refused", "consent-out-of-order",
        "link-expired", "link-invalid", "link-unknown", "link-used",
    ]

    /// Returns a delivery as its device is told of it: a submission that the staff must look at is merely held there,
    /// for most reasons are not the device's business.
    private static func told(_ delivery: Delivery) -> DeliveriesPage.Delivery {
        let isQuarantined = delivery.status == .quarantined
        let needsAttention = isQuarantined || delivery.reasonCode == "key-unknown"
        let told = needsAttention ? toldReasonsOfQuarantined : toldReasons
        let reason = delivery.reasonCode.flatMap { told.contains($0) ? $0 : nil }
        return DeliveriesPage.Delivery(
            submission: delivery.submissionID, status: (isQuarantined ? .held : delivery.status).rawValue,
            at: SQLTimestamp.text(delivery.at), reason: reason ?? (needsAttention ? "needs-attention" : nil))
    }
}
