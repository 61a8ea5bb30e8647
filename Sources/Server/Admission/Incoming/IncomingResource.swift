import FHIR
import Foundation
import RecordStorage
import Warehouse

/// One document of an opened submission, parsed only as JSON.
package struct ParsedDocument: Sendable {
    package let bytes: Data
    package let resource: Resource
    /// Owners of the resource in the document as received.
    package let owners: ResourceOwners

    /// - Parameter ownBases: the server's own base URLs, without a trailing slash, which may precede a reference to a
    ///   participant.
    init(bytes: Data, at ownBases: [String] = []) throws(ResourceError) {
        self.bytes = bytes
        resource = try Resource(bytes)
        owners = resource.owners.local(to: ownBases)
    }
}

/// One resource of an opened submission: in R4, in its form for the records, and in its form for the warehouse.
///
/// A class, because each part is iterated by itself, and copying all parts takes as long as reading one.
package final class IncomingResource: Sendable {
    /// Resource in R4.
    package let resource: Resource
    /// Participant that the resource belongs to.
    package let subject: String
    /// Record to store: its id, bytes and search keys.
    package let record: NewRecord
    /// Entry for the warehouse.
    package let entry: WarehouseEntry
    /// Result of the validation as a Contract; nil for other types.
    let contract: ContractValidation.Verdict?
    /// Kinds of health data in it that are only admitted if the consent includes them.
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

    /// Id under which it is recorded.
    package var id: String { record.id }

    /// Whether the resource gives or withdraws a participant's consent.
    package var kind: Kind {
        switch resource.resourceType {
        case Contract.resourceType: .contract
        case Consent.resourceType: .consent
        default: .data
        }
    }

    package enum Kind: Sendable, Hashable { case contract, consent, data }
}

/// A problem that prevents processing an opened submission. The message is for staff and contains no health data.
package struct SubmissionProblem: CodedError, Hashable {
    package let code: String
    package let message: String
    /// Issues of the resource, if its content is the problem.
    package let issues: [RecordIssue]

    package init(_ code: String, _ message: String, issues: [RecordIssue] = []) {
        self.code = code
        self.message = message
        self.issues = issues
    }
}
