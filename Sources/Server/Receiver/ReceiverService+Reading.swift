import Foundation
import Storage
import Trust
import Wire

extension ReceiverService {
    /// `GET /fhir/Questionnaire/{id}`: the study's published file, byte for byte.
    func questionnaire(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> ReceiverResponse {
        let actor = try await authenticate(request)
        clientID = actor.id
        guard let id = request.id, Self.isResourceID(id) else {
            throw ReceiverFailure.problem(400, "path-invalid", "The path names no resource id.")
        }
        try await permit(actor, .readQuestionnaire, Target(resourceType: "Questionnaire", resourceID: id))
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
        try await permit(actor, .readDeliveries, Target(resourceID: actor.id))
        guard let query = FormFields(Data((request.query ?? "").utf8)), let after = Self.cursor(query["after"]) else {
            throw ReceiverFailure.problem(
                400, "cursor-invalid", "The parameter after must be the last page's next, or be left out.")
        }
        let found = try await queue.deliveries(
            lane: actor.enrolmentID ?? actor.id, after: after, limit: configuration.limits.deliveriesPerPage)
        let page = DeliveriesPage(
            deliveries: found.map(Self.told), next: String(found.last?.change ?? after))
        return ReceiverResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: Data.json(page))
    }

    /// 0 for the beginning; nil for what no page of ours has given.
    private static func cursor(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty else { return 0 }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }

    /// The reasons that a device may be told. What is not here is told without a reason.
    static let toldReasons: Set<String> = [
        "consent-required", "consent-withdrawn", "contract-unknown", "subject-mismatch", "subject-missing",
        "subject-not-permitted", "not-bound", "already-bound", "other-participant", "resource-invalid",
        "resource-type-not-accepted", "fhir-version-unsupported", "inclusion-not-in-consent", "needs-attention",
        "discarded",
    ]

    /// What the staff must look at is for the device merely held: why is not its business.
    private static func told(_ delivery: Delivery) -> DeliveriesPage.Delivery {
        let isParked = delivery.status == .parked
        let reason = isParked ? "needs-attention" : delivery.reasonCode.flatMap { toldReasons.contains($0) ? $0 : nil }
        return DeliveriesPage.Delivery(
            submission: delivery.submissionID, status: (isParked ? .held : delivery.status).rawValue,
            at: SQLTimestamp.text(delivery.at), versionId: delivery.versionID, reason: reason)
    }
}
