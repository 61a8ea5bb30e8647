import AccessPolicy
import Core
import Foundation
import Hummingbird
import Identity
import ServerHTTP
import Storage
import Submissions
import Wire

extension ReceiverRoutes {
    /// `POST` and `PUT` on `/encfhir[/Type[/id]]` and `/fhirenc/...`: 200 once the ciphertext is stored durably.
    func submit(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (actor, target) = try await admit(request, context)
        // After a restore, lost submissions must be sent again first: they are older, and would become the current
        // versions if they arrived later. C3-PRO's apps send no epoch.
        if let knownEpoch = request.headers[.epoch], knownEpoch != String(configuration.epoch) {
            throw HTTPFailure(
                .preconditionFailed, code: StudyPath.restoredCode,
                message:
                    "The study was restored since the device's last request: read the deliveries, and send missing submissions again first."
            )
        }
        let body = try await configuration.bodies.collect(request, upTo: configuration.limits.maximumBodyBytes)
        defer { withExtendedLifetime(body) {} }
        let header = try EnvelopeHeader.read(from: body.bytes)
        let format: SubmissionFormat
        let submissionID: String
        switch header.format {
        case .c3pro:
            guard configuration.acceptC3PRO else {
                throw HTTPFailure(
                    .unprocessableContent, code: "c3pro-not-accepted",
                    message: "This study does not accept C3-PRO envelopes: send a JWE."
                ).refusing(header.listedSubmissionID)
            }
            format = .c3pro
            submissionID = header.listedSubmissionID
        case .jwe:
            guard let stated = header.submissionID else {
                throw HTTPFailure(
                    .unprocessableContent, code: "envelope-header-invalid", message: "The protected header needs sid.")
            }
            format = .jwe
            submissionID = stated
        }
        do {
            try await store(
                NewSubmission(
                    clientID: actor.id, enrolmentID: actor.enrolmentID, submissionID: submissionID,
                    digest: header.digest,
                    format: format, sequence: header.sequence, resourceTypeHint: target.resourceType, body: body.bytes,
                    receivedAt: clock()))
        } catch {
            throw HTTPFailure(receiving: error).refusing(submissionID)
        }
        // C3-PRO's apps expect an empty response; all others need the submission's id as the acknowledgement.
        guard format == .jwe else { return Response(status: .ok) }
        return .json(
            SubmissionAcknowledgement(submission: submissionID, status: "received"), headers: await keysHeader())
    }

    /// `POST /fhir/Type` and `PUT /fhir/Type/id`, used by C3-PRO's apps for the Patient: refused, or sealed on arrival.
    func writePlain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (actor, target) = try await admit(request, context)
        // The apps seal all resources except the person's Patient.
        let isPatientOfC3PRO = configuration.acceptC3PRO && request.method == .put && target.resourceType == "Patient"
        guard configuration.acceptPlainFHIR || isPatientOfC3PRO else {
            throw HTTPFailure(
                .forbidden, code: "plain-fhir-not-accepted",
                message: "This study does not accept unsealed resources: seal it and send it to /encfhir.")
        }
        // 1. Check that the resource matches the path.
        let body = try await configuration.bodies.collect(request, upTo: configuration.limits.maximumBodyBytes)
        defer { withExtendedLifetime(body) {} }
        guard let resource = JSON(reading: body.bytes)?.object else {
            throw HTTPFailure(.badRequest, code: "json-invalid", message: "The body is not a JSON object.")
        }
        guard resource["resourceType"]?.string == target.resourceType else {
            throw HTTPFailure(
                .badRequest, code: "type-mismatch", message: "The type of the resource differs from that of the path.")
        }
        guard target.resourceID == nil || resource["id"]?.string == target.resourceID else {
            throw HTTPFailure(
                .badRequest, code: "id-mismatch", message: "The id of the resource differs from that of the path.")
        }
        // 2. Seal it to the study's keys and continue as for any submission; the plain bytes are not kept.
        let recipients = try await validKeys().recipients
        let header = try SubmissionHeader(
            submissionID: newID().uuidString, sequence: 1,
            fhirVersion: (request.headers[.contentType].flatMap { FHIRRelease(mediaType: $0) } ?? .r4).number)
        let envelope = try SealedEnvelope.seal(body.bytes, as: header, to: recipients)
        try await store(
            NewSubmission(
                clientID: actor.id, enrolmentID: actor.enrolmentID, submissionID: envelope.header.submissionID,
                digest: SecretDigest.hex(of: envelope.bytes), format: .jwe, sequence: nil,
                resourceTypeHint: target.resourceType, body: envelope.bytes, receivedAt: clock()))
        return Response(status: target.resourceID == nil ? .created : .ok)
    }

    /// Checks the token, then the device's rate limit, then the policy; the body is not read before.
    private func admit(
        _ request: Request, _ context: ServerRequestContext
    ) async throws -> (actor: Actor, target: Target) {
        let actor = try await authenticate(request, context, isSending: true)
        try configuration.limiter.admit(actor.id, .submissionByClient)
        let target = try target(of: context)
        try permit(actor, action: .submit, target: target)
        return (actor, target)
    }

    private func store(_ submission: NewSubmission) async throws {
        // A consent may end the wait of held submissions, so it has a larger quota.
        let isConsent = submission.resourceTypeHint == "Contract" || submission.resourceTypeHint == "Consent"
        let quota = configuration.limits.heldBytesPerDevice
        switch try await queue.enqueue(submission, quota: isConsent ? quota + quota / 4 : quota) {
        case .accepted, .duplicate:
            return
        case .clientRevoked:
            throw HTTPFailure.tokenInvalid
        case .overQuota:
            throw HTTPFailure(
                .tooManyRequests, code: "device-quota",
                message:
                    "Too many submissions of this device wait for its consent or for the study team. Try again later.",
                headers: [.retryAfter: "3600"])
        case .conflict:
            throw HTTPFailure(
                .conflict, code: "submission-conflict",
                message: "Another submission was received under the same id; this one was not stored.")
        }
    }
}
