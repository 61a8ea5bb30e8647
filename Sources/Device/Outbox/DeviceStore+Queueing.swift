import Attachments
import Core
import Foundation
import Wire

extension DeviceStore {
    /// Signs a resource with the device's key, seals it to the study's keys and queues it. An app calls it for each
    /// response, observation or consent.
    ///
    /// ```swift
    /// try store.queue(signed.contract)
    /// try store.queue(response)
    /// ```
    ///
    /// Images in it lose their metadata about location, time and camera, and attachments lose their names:
    ///
    /// ```swift
    /// try store.queue(response, attachments: AttachmentCleaning(asIs: form.attachmentsAsIs))
    /// ```
    ///
    /// - Parameters:
    ///   - resource: a typed view, or any other resource.
    ///   - attachments: cleans the attachments; it may name the form's items whose attachments are not changed.
    /// - Returns: the entry, durable; deliveries name it by its ``OutboxEntry/submissionID``.
    /// - Throws: ``OutboxError``: `not-enrolled`; `consent-required` for anything but a Contract before the first
    ///   Contract; `kind-invalid` if `resourceType` is missing; storage errors; `AttachmentError`
    ///   (`attachment-not-cleanable` and others) if an attachment cannot be cleaned. Then nothing was queued.
    @discardableResult
    public func queue(
        _ resource: some ResourceContent, attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        try outbox.queue(
            resource, sealedTo: enrolment().recipients(), signedBy: signer(), attachments: attachments)
    }

    /// Seals resources of one type and queues them as one submission: one envelope is opened faster than several.
    ///
    /// - Throws: as for one resource; `kind-invalid` also if there is no resource, or they are of several types.
    @discardableResult
    public func queue(
        _ resources: [some ResourceContent], attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        try outbox.queue(
            resources, sealedTo: enrolment().recipients(), signedBy: signer(), attachments: attachments)
    }

    /// Queues a link to the record that the site has of this person: signed, sealed and queued like all other
    /// submissions. The app scans the text from a QR code at the site.
    ///
    /// - Parameter scanned: the text of the code, in UTF-8.
    /// - Throws: `WireError` `link-invalid` if it is no link of the study; otherwise as for one resource. Then nothing
    ///   was queued. Only the study decides whether the link is valid: its deliveries report `link-expired`,
    ///   `link-used`.
    @discardableResult
    public func queue(link scanned: Data) throws -> OutboxEntry {
        _ = try LinkToken(scanned: scanned, study: enrolment().studyID)
        return try queue(scanned, kind: "Link", as: .link)
    }

    /// Signs, seals and queues a payload unchanged, for callers that write the text of resources themselves.
    /// Attachments in it are not cleaned: the caller must clean them first (`AttachmentCleaning`).
    ///
    /// - Parameters:
    ///   - kind: the type of the resources in it.
    ///   - type: one resource, or several, one a line.
    /// - Throws: as for one resource.
    @discardableResult
    public func queue(_ payload: Data, kind: String, as type: PayloadType) throws -> OutboxEntry {
        try outbox.queue(payload, kind: kind, as: type, sealedTo: enrolment().recipients(), signedBy: signer())
    }
}
