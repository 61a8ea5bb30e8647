import Foundation
import Storage
import Trust
import Wire

extension ReceiverService {
    /// `GET /fhir/Questionnaire/{id}`: the study's published file, byte for byte.
    func questionnaire(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> ReceiverResponse {
        let actor = try await authenticate(request, orStaff: true)
        clientID = actor.id
        // By the device, so that of those behind one address none silences another.
        try Self.pass(configuration.limiter.check(actor.id, .readByAddress))
        guard let id = request.id, Self.isResourceID(id) else {
            throw ReceiverFailure.problem(400, "path-invalid", "The path names no resource id.")
        }
        try permit(actor, .readQuestionnaire, Target(resourceType: "Questionnaire", resourceID: id))
        guard let file = try await configuration.questionnaire(id) else {
            throw ReceiverFailure.problem(404, "questionnaire-unknown", "The study publishes no such questionnaire.")
        }
        return ReceiverResponse(
            status: 200, headers: [("Content-Type", "application/fhir+json"), ("Cache-Control", "private, no-cache")],
            body: file)
    }

    /// `GET /.well-known/jwks.json`: the keys to seal to.
    func publishedKeys() async throws -> ReceiverResponse {
        ReceiverResponse(
            status: 200, headers: [("Content-Type", "application/jwk-set+json"), ("Cache-Control", "max-age=60")],
            body: PublicKey.jwks(try await validKeys()))
    }

    /// The keys that the study publishes. Read and written anew, so that whatever else stood there, and were it a
    /// private key, does not leave.
    func validKeys() async throws -> [PublicKey] {
        guard let bytes = try? await configuration.publicKeys(), let keys = try? PublicKey.read(from: bytes),
            !keys.isEmpty
        else {
            throw ReceiverFailure.problem(
                503, "keys-unavailable", "The study's public keys are not there. Try again later."
            ).adding("Retry-After", "60")
        }
        return keys
    }

    /// `GET /deliveries?after=CURSOR`: what became of the device's own submissions.
    func deliveries(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> ReceiverResponse {
        let actor = try await authenticate(request)
        clientID = actor.id
        // By the device, so that of those behind one address none silences another.
        try Self.pass(configuration.limiter.check(actor.id, .readByAddress))
        try permit(actor, .readDeliveries, Target(resourceID: actor.id))
        guard let query = FormFields(Data((request.query ?? "").utf8)), let after = cursor(query["after"]) else {
            throw ReceiverFailure.problem(
                400, "cursor-invalid", "The parameter after must be the last page's next, or be left out.")
        }
        let found = try await queue.deliveries(
            lane: actor.enrolmentID ?? actor.id, after: after, limit: configuration.limits.deliveriesPerPage)
        let page = DeliveriesPage(
            deliveries: found.map(Self.told), next: "\(configuration.epoch)-\(found.last?.change ?? after)",
            epoch: configuration.epoch)
        return ReceiverResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: Data.json(page))
    }

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
        "consent-required", "consent-withdrawn", "consent-suspended", "contract-unknown", "subject-mismatch",
        "subject-missing",
        "subject-not-permitted", "not-bound", "already-bound", "other-participant", "resource-invalid",
        "resource-type-not-accepted", "fhir-version-unsupported", "inclusion-not-in-consent", "needs-attention",
        "discarded",
    ]

    /// What the staff must look at is for the device merely held: why is not its business.
    private static func told(_ delivery: Delivery) -> DeliveriesPage.Delivery {
        let isParked = delivery.status == .parked
        let needsAttention = isParked || delivery.reasonCode == "key-unknown"
        let reason =
            needsAttention ? "needs-attention" : delivery.reasonCode.flatMap { toldReasons.contains($0) ? $0 : nil }
        return DeliveriesPage.Delivery(
            submission: delivery.submissionID, status: (isParked ? .held : delivery.status).rawValue,
            at: SQLTimestamp.text(delivery.at), reason: reason)
    }
}
