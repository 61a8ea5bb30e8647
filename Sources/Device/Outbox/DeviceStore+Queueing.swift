import Attachments
import Core
import Foundation
import Wire

extension DeviceStore {
    /// Signs a resource with the device's key, seals it to the study's and queues it: what an app does with each response,
    /// observation or consent.
    ///
    /// ```swift
    /// try store.queue(signed.contract)
    /// try store.queue(response)
    /// ```
    ///
    /// Pictures in it lose what they say of place, time and camera, and attachments their names:
    ///
    /// ```swift
    /// try store.queue(response, attachments: AttachmentCleaning(asIs: form.attachmentsAsIs))
    /// ```
    ///
    /// - Parameters:
    ///   - resource: a typed view, or any other resource.
    ///   - attachments: cleans the attachments; with the form's items that take them as they are.
    /// - Returns: the entry, durable; its ``OutboxEntry/submissionID`` is what deliveries name it by.
    /// - Throws: ``OutboxError``: `not-enrolled`; `consent-required` for anything but a Contract before the first Contract;
    ///   `kind-invalid` where `resourceType` is missing; storage errors; `AttachmentError` (`attachment-not-cleanable` and
    ///   others) where an attachment cannot be cleaned. Then nothing was queued.
    @discardableResult
    public func queue(
        _ resource: some ResourceContent, attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        try outbox.queue(
            resource, sealedTo: enrolment().recipients(), signedBy: signer(), attachments: attachments)
    }

    /// Seals resources of one type and queues them as one submission: one envelope is opened faster than many.
    ///
    /// - Throws: as for one resource; `kind-invalid` also where there is none, or they are of several types.
    @discardableResult
    public func queue(
        _ resources: [some ResourceContent], attachments: AttachmentCleaning = AttachmentCleaning()
    ) throws -> OutboxEntry {
        try outbox.queue(
            resources, sealedTo: enrolment().recipients(), signedBy: signer(), attachments: attachments)
    }

    /// Hands in a link to the record that the site keeps of this person: signed, sealed and queued as everything else. The
    /// app scans the text from a QR code that the site shows.
    ///
    /// - Parameter scanned: the text of the code, in UTF-8.
    /// - Throws: `WireError` `link-invalid` where it is no link of the study; else as for one resource. Then nothing was
    ///   queued. Whether the link is in force the study alone decides: its deliveries tell `link-expired`, `link-used`.
    @discardableResult
    public func queue(link scanned: Data) throws -> OutboxEntry {
        _ = try LinkToken(scanned: scanned, study: enrolment().studyID)
        return try queue(scanned, kind: "Link", as: .link)
    }

    /// Signs and seals a payload as it is and queues it, for those who write the text of resources themselves. Attachments
    /// in it are not looked at: who has any cleans them first (`AttachmentCleaning`).
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
