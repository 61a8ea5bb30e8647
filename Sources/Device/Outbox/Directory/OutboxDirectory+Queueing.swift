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
    ///   - recipients: the keys, such as ``Enrolment/recipients()`` tells them.
    ///   - signer: who signs it (``DeviceStore/signer()``); `nil` for a study that takes what is unsigned.
    ///   - attachments: cleans the attachments; with the form's items that take them as they are.
    /// - Returns: the entry, durable; its ``OutboxEntry/submissionID`` is what deliveries name it by.
    /// - Throws: ``OutboxError``: `consent-required` for anything but a Contract before the first Contract, `kind-invalid`
    ///   where `resourceType` is missing, storage errors; `WireError` where the keys do not do; `AttachmentError` where an attachment cannot be
    ///   cleaned. Then nothing was queued.
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
    /// - Throws: as for one resource; `kind-invalid` also where there is none, or they are of several types.
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

    /// Seals a payload as it is and queues it, for those who write the text of resources themselves. Attachments in it
    /// are not looked at: who has any cleans them first (`AttachmentCleaning`).
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
