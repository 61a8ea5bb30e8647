import Core
import Foundation
import Wire

extension DeviceStore {
    /// Seals a resource to the study's keys and queues it: what an app does with each response, observation or consent.
    ///
    /// ```swift
    /// try store.queue(signed.contract)
    /// try store.queue(response)
    /// ```
    ///
    /// - Parameter resource: a typed view, or any other resource.
    /// - Returns: the entry, durable; its ``OutboxEntry/submissionID`` is what deliveries name it by.
    /// - Throws: ``OutboxError``: `not-enrolled`; `consent-required` for anything but a Contract before the first Contract;
    ///   `kind-invalid` where `resourceType` is missing; storage errors. Then nothing was queued.
    @discardableResult
    public func queue(_ resource: some ResourceContent) throws -> OutboxEntry {
        try outbox.queue(resource, sealedTo: enrolment().recipients())
    }

    /// Seals resources of one type and queues them as one submission: one envelope is opened faster than many.
    ///
    /// - Throws: as for one resource; `kind-invalid` also where there is none, or they are of several types.
    @discardableResult
    public func queue(_ resources: [some ResourceContent]) throws -> OutboxEntry {
        try outbox.queue(resources, sealedTo: enrolment().recipients())
    }
}
