import FHIR
import Foundation
import Storage

/// The origin of a version.
package struct RecordProvenance: Sendable, Hashable {
    package let submissionID: String
    /// The client that sent it: the device.
    package let clientID: String
    /// The key that decrypted it.
    package let keyID: String?
    /// The time of receipt in whole milliseconds, the precision of the database. It distinguishes the contents of one
    /// submission from earlier ones.
    package let receivedAt: Date
    /// The submission's number in the queue; 0 for resources that did not pass through the queue.
    package let number: Int64
    /// The key that signed it, with the sequence number; nil where it is not signed: submissions of an app or a gateway
    /// that does not sign, and data that the site loaded.
    package let signed: RecordOrder.SignedPosition?

    /// Whether it was written through the FHIR API.
    package var isOfInterface: Bool { submissionID.hasPrefix(Self.interfacePrefix) }

    /// The prefix of the submission id of each write through the FHIR API.
    package static let interfacePrefix = "fhir:"

    /// Whether it is a record of a permission (``RecordGuard``).
    package var isOfPermission: Bool { submissionID == Self.permissionSubmissionID }

    /// The submission id of the records of permissions.
    package static let permissionSubmissionID = "permission"

    /// The thumbprint of the device's key that signed it (RFC 7638); nil where it is not signed.
    package var signer: String? { signed?.signer }

    package init(
        submissionID: String, clientID: String, keyID: String?, receivedAt: Date, number: Int64 = 0,
        signed: RecordOrder.SignedPosition? = nil
    ) {
        self.signed = signed
        self.submissionID = submissionID
        self.clientID = clientID
        self.keyID = keyID
        self.receivedAt = SQLTimestamp.rounded(receivedAt)
        self.number = number
    }

    /// The order that decides which of two versions of a resource is the current one.
    package var order: RecordOrder {
        RecordOrder(receivedMilliseconds: Milliseconds.of(receivedAt), number: number, signed: signed)
    }
}

/// The original bytes of a resource that was converted to R4.
package struct OriginalContent: Sendable, Hashable {
    package let bytes: Data
    /// The FHIR version of the bytes.
    package let fhirVersion: String

    package init(bytes: Data, fhirVersion: String) {
        self.bytes = bytes
        self.fhirVersion = fhirVersion
    }
}

/// The result of storing a resource.
package struct PutResult: Sendable, Hashable {
    /// The outcome of storing it.
    package enum Outcome: Sendable, Hashable {
        case created
        case updated
        /// The current version has the same bytes; nothing was stored.
        case unchanged
        /// A resource received later is the current version. The stored resource is in the history, stored now or
        /// before.
        case superseded
    }

    package let outcome: Outcome
    /// The version that was stored or exists already; 0 where the resource was deleted.
    package let version: Int64
    /// The number of the resource among all resources, the same for all its versions.
    package let number: Int64

    package init(outcome: Outcome, version: Int64 = 0, number: Int64) {
        self.version = version
        self.outcome = outcome
        self.number = number
    }

    /// Creates the result of a deletion.
    package init(deleted number: Int64) {
        self.init(outcome: .updated, number: number)
    }

    /// Whether the resource is the current version.
    package var isCurrent: Bool { outcome != .superseded }
}

/// One version of a resource.
public struct StoredRecord: Sendable {
    package let type: String
    package let id: String
    package let version: Int64
    package let lastUpdated: Date
    package let isDeleted: Bool
    /// The bytes as received (R4).
    public let content: Data
    package let provenance: RecordProvenance

    /// Creates a record from its parts.
    package init(
        type: String, id: String, version: Int64, lastUpdated: Date, isDeleted: Bool, content: Data,
        provenance: RecordProvenance
    ) {
        self.type = type
        self.id = id
        self.version = version
        self.lastUpdated = lastUpdated
        self.isDeleted = isDeleted
        self.content = content
        self.provenance = provenance
    }

    /// The members that the server writes before the content.
    package var line: ResourceLine {
        ResourceLine(type: type, id: id, version: version, stored: DateTime(lastUpdated).text)
    }

    /// Returns the resource, beginning with the server's `id`, `meta.versionId` and `meta.lastUpdated`. All other
    /// content is as received (<https://hl7.org/fhir/R4/resource.html#Meta>).
    package func resource() throws -> Resource {
        try line.resource(content)
    }
}
