import Core
import Foundation
import Hummingbird
import ServerHTTP
import Storage
import Trust
import Wire

extension ReceiverRoutes {
    /// `POST` and `PUT` on `/encfhir[/Type[/id]]` and `/fhirenc/...`: 200 once the ciphertext is durable.
    func submit(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (actor, target) = try await admit(request, context)
        // What the store lost is older than what comes now, and would become the current version if it came later. C3-PRO's
        // apps name no epoch.
        if let learned = request.headers[.epoch], learned != String(configuration.epoch) {
            throw HTTPFailure(
                .preconditionFailed, StudyPath.restoredCode,
                "The study was restored since this device last asked: ask for the deliveries, and send again what is missing first."
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
                    .unprocessableContent, "c3pro-not-accepted",
                    "This study takes no C3-PRO envelopes: send a JWE."
                ).refusing(header.listedSubmissionID)
            }
            format = .c3pro
            submissionID = header.listedSubmissionID
        case .jwe:
            guard let stated = header.submissionID else {
                throw HTTPFailure(
                    .unprocessableContent, "envelope-header-invalid", "The protected header needs sid.")
            }
            format = .jwe
            submissionID = stated
        }
        do {
            try await store(
                NewSubmission(
                    clientID: actor.id, lane: actor.enrolmentID, submissionID: submissionID, digest: header.digest,
                    format: format, sequence: header.sequence, resourceTypeHint: target.resourceType, body: body.bytes,
                    receivedAt: clock()))
        } catch {
            throw HTTPFailure(receiving: error).refusing(submissionID)
        }
        // C3-PRO's apps know the empty answer; to all others only one that names the submission means that we have it.
        guard format == .jwe else { return Response(status: .ok) }
        return .json(
            SubmissionAcknowledgement(submission: submissionID, status: "received"), headers: await keysHeader())
    }

    /// `POST /fhir/Type` and `PUT /fhir/Type/id`, as C3-PRO's apps send their Patient: refused, or sealed on arrival.
    func writePlain(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let (actor, target) = try await admit(request, context)
        // The apps seal all but the person's Patient, which they put in clear.
        let isPatientOfC3PRO = configuration.acceptC3PRO && request.method == .put && target.resourceType == "Patient"
        guard configuration.acceptPlainFHIR || isPatientOfC3PRO else {
            throw HTTPFailure(
                .forbidden, "plain-fhir-not-accepted",
                "This study takes no unsealed resources: seal it and send it to /encfhir.")
        }
        // 1. It must be the resource that the path names.
        let body = try await configuration.bodies.collect(request, upTo: configuration.limits.maximumBodyBytes)
        defer { withExtendedLifetime(body) {} }
        guard let resource = JSON(reading: body.bytes)?.object else {
            throw HTTPFailure(.badRequest, "json-invalid", "The body is not a JSON object.")
        }
        guard resource["resourceType"]?.string == target.resourceType else {
            throw HTTPFailure(
                .badRequest, "type-mismatch", "The resource is not of the type that the path names.")
        }
        guard target.resourceID == nil || resource["id"]?.string == target.resourceID else {
            throw HTTPFailure(.badRequest, "id-mismatch", "The resource has not the id that the path names.")
        }
        // 2. Sealed to the study's keys it goes on like any other; its plain bytes are not kept.
        let recipients = try await validKeys().recipients
        let header = try SubmissionHeader(
            submissionID: newID().uuidString, sequence: 1,
            fhirVersion: (request.headers[.contentType].flatMap { FHIRRelease(mediaType: $0) } ?? .r4).number)
        let envelope = try SealedEnvelope.seal(body.bytes, as: header, to: recipients)
        try await store(
            NewSubmission(
                clientID: actor.id, lane: actor.enrolmentID, submissionID: envelope.header.submissionID,
                digest: SecretDigest.hex(of: envelope.bytes), format: .jwe, sequence: nil,
                resourceTypeHint: target.resourceType, body: envelope.bytes, receivedAt: clock()))
        return Response(status: target.resourceID == nil ? .created : .ok)
    }

    /// The token, then the device's rate, then the policy; nothing of the body is read before.
    private func admit(
        _ request: Request, _ context: ServerRequestContext
    ) async throws -> (actor: Actor, target: Target) {
        let actor = try await authenticate(request, context, isSending: true)
        try configuration.limiter.admit(actor.id, .submissionByClient)
        let target = try target(of: context)
        try permit(actor, .submit, target)
        return (actor, target)
    }

    private func store(_ submission: NewSubmission) async throws {
        // What may end the waiting has some room of its own.
        let isConsent = submission.resourceTypeHint == "Contract" || submission.resourceTypeHint == "Consent"
        let quota = configuration.limits.heldBytesPerDevice
        switch try await queue.enqueue(submission, quota: isConsent ? quota + quota / 4 : quota) {
        case .accepted, .duplicate:
            return
        case .clientRevoked:
            throw HTTPFailure.tokenInvalid
        case .overQuota:
            throw HTTPFailure(
                .tooManyRequests, "device-quota",
                "Too much of this device waits for its consent or for the study team. Try again later.",
                headers: [.retryAfter: "3600"])
        case .conflict:
            throw HTTPFailure(
                .conflict, "submission-conflict",
                "Another submission was received under the same id; this one was not stored.")
        }
    }
}
