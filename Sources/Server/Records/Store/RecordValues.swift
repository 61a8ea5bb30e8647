import FHIR
import Foundation
import Storage

/// The origin of a version.
public struct RecordProvenance: Sendable, Hashable {
    public let submissionID: String
    /// The client that sent it: the device.
    public let clientID: String
    /// The key that opened it.
    public let keyID: String?
    /// In whole milliseconds, as the database gives it back, so that what came with one submission can be told from what
    /// came earlier.
    public let receivedAt: Date
    /// The submission's number in the queue; 0 for what came without the queue.
    public let number: Int64
    /// Whose key signed it, and under which number; nil for what nobody signed: what came from an app or through a gateway
    /// that does not sign, and what the site loaded.
    public let signed: RecordOrder.SignedPlace?

    /// Whether a program wrote it through the FHIR API.
    public var isOfInterface: Bool { submissionID.hasPrefix(Self.interfacePrefix) }

    /// What the name of each request that writes through the FHIR API begins with.
    static let interfacePrefix = "fhir:"

    /// The thumbprint of the device's key that signed it (RFC 7638); nil where nobody did.
    public var signer: String? { signed?.signer }

    public init(
        submissionID: String, clientID: String, keyID: String?, receivedAt: Date, number: Int64 = 0,
        signed: RecordOrder.SignedPlace? = nil
    ) {
        self.signed = signed
        self.submissionID = submissionID
        self.clientID = clientID
        self.keyID = keyID
        self.receivedAt = SQLTimestamp.rounded(receivedAt)
        self.number = number
    }

    /// The order that decides which of two versions of a resource is the present.
    public var order: RecordOrder {
        RecordOrder(receivedMilliseconds: Milliseconds.of(receivedAt), number: number, signed: signed)
    }
}

/// A resource's bytes as they came, where they were converted to R4.
public struct OriginalContent: Sendable, Hashable {
    public let bytes: Data
    /// The FHIR version they are in.
    public let fhirVersion: String

    public init(bytes: Data, fhirVersion: String) {
        self.bytes = bytes
        self.fhirVersion = fhirVersion
    }
}

/// The result of storing a resource.
public struct PutResult: Sendable, Hashable {
    /// What became of it.
    public enum Outcome: Sendable, Hashable {
        case created
        case updated
        /// The current version has the same bytes; nothing was stored.
        case unchanged
        /// Something that came later is the present: what was put is history, stored now or before.
        case superseded
    }

    public let outcome: Outcome
    /// The version that was put or is there already; 0 where the resource was deleted.
    let version: Int64
    /// The number of the resource among all resources, the same for all its versions.
    public let number: Int64

    init(outcome: Outcome, version: Int64 = 0, number: Int64) {
        self.version = version
        self.outcome = outcome
        self.number = number
    }

    /// What became of a resource that was deleted.
    public init(deleted number: Int64) {
        self.init(outcome: .updated, number: number)
    }

    /// Whether what was put is the present of the resource.
    public var isCurrent: Bool { outcome != .superseded }
}

/// One version of a resource.
public struct StoredRecord: Sendable {
    public let type: String
    public let id: String
    public let version: Int64
    public let lastUpdated: Date
    public let isDeleted: Bool
    /// The bytes as they came (R4).
    public let content: Data
    public let provenance: RecordProvenance

    /// What the server puts in front of the content.
    var line: ResourceLine {
        ResourceLine(type: type, id: id, version: version, stored: DateTime(lastUpdated).text)
    }

    /// The resource with the server's `id` and `meta.versionId` and `meta.lastUpdated` in front; all else is as it came
    /// (<https://hl7.org/fhir/R4/resource.html#Meta>).
    public func resource() throws -> Resource {
        try line.resource(content)
    }
}
