import Core
import FHIR
import Foundation
import Storage

/// The rules of the server for resources that are written through the FHIR API, and its processing of them.
package protocol RecordAdmission: Sendable {
    /// Begins the writing of one request. The published content and the rules in force now apply to all of it.
    ///
    /// - Parameter at: the time of receipt of the request.
    func begin(at: Date) async -> any WriteAdmission
}

/// The rules for the resources of one request.
package protocol WriteAdmission: Sendable {
    /// Returns the resource as it may be stored. Called without a transaction.
    ///
    /// - Parameter id: the id of its record; the resource contains it.
    func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource

    /// Returns the problems of a resource that is only validated, including warnings and the rules of profiles.
    ///
    /// - Parameter profiles: canonical URLs of profiles, beyond those that the resource names.
    /// - Throws: ``RecordAdmissionError`` `profile-unknown` for a profile that the server cannot validate.
    func problems(of resource: Resource, profiles: [String]) throws(RecordAdmissionError) -> [RecordIssue]

    /// Returns the template of an admitted Observation, for others that differ from it only in ``ObservationValues``.
    ///
    /// - Returns: nil where each Observation must be validated by itself.
    func template(of admitted: AdmittedResource) -> (any AdmissionTemplate)?

    /// Checks that a resource may be written now, before any write.
    ///
    /// - Parameters:
    ///   - participants: its owners, before and after the write.
    ///   - type: the type of the resource.
    ///   - id: the id of its record.
    /// - Throws: ``RecordAdmissionError`` of the kind `refused`; ``Storage/StorageError``.
    func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws

    /// Returns whether data from a participant's devices are accepted now, by their consent.
    ///
    /// - Throws: ``Storage/StorageError``.
    func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission

    /// Performs the further steps for written resources, in the transaction that wrote them.
    ///
    /// - Parameter submissionID: the submission id of the records.
    func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws
}

extension WriteAdmission {
    package func problems(
        of resource: Resource, profiles: [String]
    ) throws(RecordAdmissionError) -> [RecordIssue] { [] }

    package func template(of admitted: AdmittedResource) -> (any AdmissionTemplate)? { nil }
}

/// The admission of Observations that match the template of an admitted one.
package protocol AdmissionTemplate: Sendable {
    /// Returns the prepared form of another Observation (``AdmittedResource/prepared``); nil where it must be
    /// validated.
    func prepared(_ values: ObservationValues) -> (any Sendable)?
}

/// The admission of data from a participant's devices. The messages contain no health data.
package enum DataAdmission: Sendable, Hashable {
    /// The data are accepted.
    case admitted
    /// The data are held until the consent or the study team decides.
    case held(code: String, sentence: String)
    /// The data are refused and not stored.
    case refused(code: String, sentence: String)
}

/// A resource as it may be stored.
package struct AdmittedResource: Sendable {
    /// The resource, reduced where the study requires it.
    package let resource: Resource
    /// The prepared data for the further steps after the write.
    package let prepared: (any Sendable)?

    /// Creates an admitted resource.
    package init(_ resource: Resource, prepared: (any Sendable)? = nil) {
        self.resource = resource
        self.prepared = prepared
    }
}

/// A resource that was created, changed or deleted.
package final class RecordChange: Sendable {
    /// The type of the resource.
    package let type: String
    /// Its id.
    package let id: String
    /// The number of its record.
    package let number: Int64
    /// The participant that it is about now; nil where it is about no one, about several, or is deleted.
    package let subject: String?
    /// The participant that it was about before.
    package let formerSubject: String?
    /// The result of storing it; nil where it is deleted.
    package let put: PutResult?
    /// The prepared data (``AdmittedResource/prepared``).
    package let prepared: (any Sendable)?

    package init(
        type: String, id: String, number: Int64, subject: String?, formerSubject: String?, put: PutResult?,
        prepared: (any Sendable)?
    ) {
        self.type = type
        self.id = id
        self.number = number
        self.subject = subject
        self.formerSubject = formerSubject
        self.put = put
        self.prepared = prepared
    }

    /// Creates the change of a participant's resource that was written and keeps its owner.
    package convenience init(_ record: NewRecord, _ put: PutResult, prepared: (any Sendable)?) {
        self.init(
            type: record.type, id: record.id, number: put.number, subject: record.subject,
            formerSubject: record.subject, put: put, prepared: prepared)
    }
}

/// The reason that a resource may not be written. The message contains no health data.
package struct RecordAdmissionError: CodedError, Hashable {
    /// The kind of a reason.
    package enum Kind: Sendable, Hashable {
        /// The resource does not have the structure of its FHIR type: 400.
        case shape
        /// It breaks a rule of FHIR or of the study: 422.
        case rule
        /// It may not be written now, whatever its content: 403.
        case refused
    }

    /// The kind of the reason.
    package let kind: Kind
    /// The stable code, such as `consent-withdrawn`.
    package let code: String
    /// A sentence that a person can act on.
    package let message: String
    /// The problems of the resource, where its content is refused.
    package let issues: [RecordIssue]

    /// Creates a reason with its code and message.
    package init(_ kind: Kind, code: String, message: String, issues: [RecordIssue] = []) {
        self.kind = kind
        self.code = code
        self.message = message
        self.issues = issues
    }
}
