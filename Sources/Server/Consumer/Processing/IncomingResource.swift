import FHIR
import Foundation
import Records
import Warehouse

/// One document of an opened submission, read as JSON and no further.
struct ParsedDocument: Sendable {
    let bytes: Data
    let resource: Resource
    /// Whose it is, by the document as it came.
    let owners: ResourceOwners

    /// - Parameter ownBases: the server's own base URLs, without a last slash, which a reference to a participant may have in
    ///   front.
    init(bytes: Data, at ownBases: [String] = []) throws(ResourceError) {
        self.bytes = bytes
        resource = try Resource(bytes)
        owners = resource.owners.local(to: ownBases)
    }
}

/// One resource of an opened submission: as R4, as it will be recorded, and as what the warehouse will take of it.
///
/// A reference, for each of its parts is gone through by itself, and a copy of all of them takes as long as reading one.
public final class IncomingResource: Sendable {
    /// The resource as R4.
    public let resource: Resource
    /// The participant whose it is.
    public let subject: String
    /// The record that will be stored: under which id, with which bytes, found by what.
    public let record: NewRecord
    /// The entry that the warehouse takes of it.
    public let entry: WarehouseEntry
    /// What it says as a Contract; nil for what is none.
    let contract: ContractValidation.Verdict?
    /// Names of health data in it that is only taken where the consent names it.
    let inclusions: Set<String>

    init(
        resource: Resource, subject: String, record: NewRecord, entry: WarehouseEntry,
        contract: ContractValidation.Verdict?, inclusions: Set<String>
    ) {
        self.resource = resource
        self.subject = subject
        self.record = record
        self.entry = entry
        self.contract = contract
        self.inclusions = inclusions
    }

    /// The id under which it is recorded.
    public var id: String { record.id }

    /// Whether the consent of a participant is given or taken back with this resource.
    public var kind: Kind {
        switch resource.resourceType {
        case Contract.resourceType: .contract
        case Consent.resourceType: .consent
        default: .data
        }
    }

    public enum Kind: Sendable, Hashable { case contract, consent, data }
}

/// A problem for which an opened submission cannot be handled as it is. The staff sees the sentence, which holds no
/// health data.
public struct SubmissionProblem: CodedError, Hashable {
    public let code: String
    public let message: String
    /// The problems of the resource, where the problem is one of its content.
    public let issues: [RecordIssue]

    public init(_ code: String, _ message: String, issues: [RecordIssue] = []) {
        self.code = code
        self.message = message
        self.issues = issues
    }
}
