import Attachments
import Core
import Foundation
import Wire

extension OutboxDirectory {
    /// Seals a resource to the study's keys and queues it.
    ///
    /// ```swift
    /// try store.outbox.queue(observation, sealedTo: enrolment.recipients())
    /// ```
    ///
    /// - Parameters:
    ///   - resource: a typed view, or any other resource.
    ///   - recipients: the keys, such as those of ``Enrolment/recipients()``.
    ///   - signer: the signer (``DeviceStore/signer()``); `nil` for a study that accepts unsigned submissions.
    ///   - attachments: cleans the attachments; it may name the form's items whose attachments are not changed.
    /// - Returns: the entry, durable; deliveries name it by its ``OutboxEntry/submissionID``.
    /// - Throws: ``OutboxError``: `consent-required` for anything but a Contract before the first Contract,
    ///   `kind-invalid` if `resourceType` is missing, storage errors; `WireError` if the keys are unsuitable;
    ///   `AttachmentError` if an attachment cannot be cleaned. Then nothing was queued.
    @discardableResult
    public func queue(
        _ resource: some ResourceContent, sealedTo recipients: [PublicKey], signedBy signer: SubmissionSigner? = nil,
        attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        try queue(
            JSON.object(attachments.cleaned(resource.object)).data(), kind: resource.resourceType, as: .resource,
            sealedTo: recipients, signedBy: signer)
    }

    /// Seals resources of one type to the study's keys and queues them as one submission, one a line
    /// (<https://hl7.org/fhir/R4/nd-json.html>).
    ///
    /// - Throws: as for one resource; `kind-invalid` also if there is no resource, or they are of several types.
    @discardableResult
    public func queue(
        _ resources: [some ResourceContent], sealedTo recipients: [PublicKey], signedBy signer: SubmissionSigner? = nil,
        attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        guard let kind = resources.first?.resourceType, resources.allSatisfy({ $0.resourceType == kind }) else {
            throw OutboxError(.kindInvalid, "A submission of several resources needs resources of one type.")
        }
        var lines: [UInt8] = []
        for resource in resources {
            lines += JSON.object(try attachments.cleaned(resource.object)).bytes()
            lines.append(UInt8(ascii: "\n"))
        }
        return try queue(Data(lines), kind: kind, as: .batch, sealedTo: recipients, signedBy: signer)
    }

    /// Seals and queues a payload unchanged, for callers that write the text of resources themselves. Attachments in it
    /// are not cleaned: the caller must clean them first (`AttachmentCleaning`).
    ///
    /// - Parameters:
    ///   - kind: the type of the resources in it.
    ///   - type: one resource, or several, one a line.
    /// - Throws: as for one resource.
    @discardableResult
    public func queue(
        _ payload: Data, kind: String, as type: PayloadType, sealedTo recipients: [PublicKey],
        signedBy signer: SubmissionSigner? = nil
    ) throws -> OutboxEntry {
        try append(
            payload, kind: kind, submissionID: UUID().lowercaseText, contentType: type, to: recipients,
            signedBy: signer)
    }
}
