import Core
import Foundation
import Storage
import Trust
import Wire

extension ReceiverService {
    /// `POST` and `PUT` on `/encfhir[/Type[/id]]` and `/fhirenc/...`: 200 once the ciphertext is durable.
    func submit(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> ReceiverResponse {
        let actor = try await admit(request, &clientID)
        let collected = try await readBody(request, limit: configuration.limits.maximumBodyBytes)
        defer { withExtendedLifetime(collected) {} }
        let body = collected.bytes
        let header = try EnvelopeHeader.read(from: body)
        let format: SubmissionFormat
        let submissionID: String
        switch header.format {
        case .c3pro:
            guard configuration.acceptC3PRO else {
                var failure = ReceiverFailure.problem(
                    422, "c3pro-not-accepted", "This study takes no C3-PRO envelopes: send a JWE.")
                failure.submission = header.submissionID
                throw failure
            }
            format = .c3pro
            submissionID = header.submissionID
        case .jwe:
            guard let sid = header.sid else {
                throw ReceiverFailure.problem(422, "envelope-header-invalid", "The protected header needs sid.")
            }
            format = .jwe
            submissionID = sid
        }
        do {
            try await store(
                NewSubmission(
                    clientID: actor.id, lane: actor.enrolmentID, submissionID: submissionID, digest: header.digest,
                    format: format, sequence: header.seq, resourceTypeHint: request.type, body: body,
                    receivedAt: clock()))
        } catch {
            var failure = ReceiverFailure(error)
            failure.submission = submissionID
            throw failure
        }
        // C3-PRO's apps know the empty answer; to all others only one that names the submission means that we have it.
        return format == .c3pro ? ReceiverResponse(status: 200) : Self.acknowledgement(of: submissionID, status: 200)
    }

    private static func acknowledgement(of submission: String, status: Int) -> ReceiverResponse {
        ReceiverResponse(
            status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: Data.json(SubmissionAcknowledgement(submission: submission, status: "received")))
    }

    /// `POST /fhir/Type` and `PUT /fhir/Type/id`, as C3-PRO's apps send their Patient: refused, or sealed on arrival.
    func writePlain(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> ReceiverResponse {
        let actor = try await admit(request, &clientID)
        guard configuration.acceptPlainFHIR else {
            throw ReceiverFailure.problem(
                403, "plain-fhir-not-accepted",
                "This study takes no unsealed resources: seal it and send it to /encfhir.")
        }
        // 1. It must be the resource that the path names.
        let collected = try await readBody(request, limit: configuration.limits.maximumBodyBytes)
        defer { withExtendedLifetime(collected) {} }
        let body = collected.bytes
        guard let resource = JSON(reading: body)?.object else {
            throw ReceiverFailure.problem(400, "json-invalid", "The body is not a JSON object.")
        }
        guard resource["resourceType"]?.string == request.type else {
            throw ReceiverFailure.problem(400, "type-mismatch", "The resource is not of the type that the path names.")
        }
        guard request.id == nil || resource["id"]?.string == request.id else {
            throw ReceiverFailure.problem(400, "id-mismatch", "The resource has not the id that the path names.")
        }
        // 2. Sealed to the study's keys it goes on like any other; its plain bytes are not kept.
        let recipients = try await validKeys()
        let header = try SubmissionHeader(
            sid: newID().uuidString, seq: 1, fhirVersion: Self.fhirVersion(contentType: request.contentType))
        let envelope = try SealedEnvelope.seal(body, as: header, to: recipients)
        try await store(
            NewSubmission(
                clientID: actor.id, lane: actor.enrolmentID, submissionID: envelope.header.sid,
                digest: SecretDigest.hex(of: envelope.bytes), format: .jwe, sequence: nil,
                resourceTypeHint: request.type, body: envelope.bytes, receivedAt: clock()))
        return ReceiverResponse(status: request.id == nil ? 201 : 200)
    }

    /// The antispam word first, then the token, then the policy; nothing of the body is read before.
    private func admit(_ request: ReceiverRequest, _ clientID: inout String?) async throws -> Actor {
        try checkAntispam(request)
        let actor = try await authenticate(request, isSending: true)
        clientID = actor.id
        try Self.pass(configuration.limiter.check(actor.id, .submissionByClient))
        try checkPath(request)
        try permit(actor, .submit, Target(resourceType: request.type, resourceID: request.id))
        return actor
    }

    private func store(_ submission: NewSubmission) async throws {
        // What may end the waiting has some room of its own.
        let isConsent = submission.resourceTypeHint == "Contract" || submission.resourceTypeHint == "Consent"
        let quota = configuration.limits.heldBytesPerDevice
        switch try await queue.enqueue(submission, quota: isConsent ? quota + quota / 4 : quota) {
        case .accepted, .duplicate:
            return
        case .clientRevoked:
            throw Self.tokenInvalid
        case .overQuota:
            throw ReceiverFailure.problem(
                429, "device-quota",
                "Too much of this device waits for its consent or for the study team. Try again later."
            ).adding("Retry-After", "3600")
        case .conflict:
            throw ReceiverFailure.problem(
                409, "submission-conflict",
                "Another submission was received under the same id; this one was not stored.")
        }
    }

    /// The media type's `fhirVersion` (https://hl7.org/fhir/R4/versioning.html#mt-version); without it, DSTU2's own
    /// media type means DSTU2, and all else R4.
    static func fhirVersion(contentType: String?) -> String {
        let parts = (contentType ?? "").lowercased().split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        for part in parts.dropFirst() where part.hasPrefix("fhirversion=") {
            switch part.dropFirst("fhirversion=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\"")) {
            case "1.0", "1.0.2": return "1.0.2"
            case "3.0", "3.0.0", "3.0.1", "3.0.2": return "3.0.2"
            default: break
            }
        }
        return parts.first == "application/json+fhir" ? "1.0.2" : "4.0.1"
    }
}
