import Core
import FHIR
import Foundation
import Storage

/// What the rest of the house says of resources that are written through the FHIR API, and what it makes of them.
public protocol RecordAdmission: Sendable {
    /// Begins the writing of one request: what is published and in force now holds for all of it.
    ///
    /// - Parameter at: when the request came.
    func begin(at: Date) async -> any WriteAdmission
}

/// The house's word on the resources of one request.
public protocol WriteAdmission: Sendable {
    /// The resource as it may be stored. It is asked without a transaction.
    ///
    /// - Parameter id: the id that it will be recorded under; it bears it.
    func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource

    /// The problems of a resource that is only checked: warnings too, and what the profiles ask for.
    ///
    /// - Parameter profiles: canonical URLs of profiles, beyond those that the resource names.
    /// - Throws: ``RecordAdmissionError`` `profile-unknown` for a profile that cannot be checked.
    func problems(of resource: Resource, profiles: [String]) throws(RecordAdmissionError) -> [RecordIssue]

    /// How others are admitted that are like a resource that was: Observations that differ from it in ``ObservationValues``.
    ///
    /// - Returns: nil where each has to be looked into.
    func pattern(of admitted: AdmittedResource) -> (any AdmissionPattern)?

    /// Sees that a resource may be written now, before anything is.
    ///
    /// - Parameters:
    ///   - participants: whose it is, and whose it was.
    ///   - type: of the resource.
    ///   - id: under which it is recorded.
    /// - Throws: ``RecordAdmissionError`` of the kind `refused`; ``Storage/StorageError``.
    func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws

    /// What becomes of data that come of a participant's devices now, by their consent.
    ///
    /// - Throws: ``Storage/StorageError``.
    func standing(of participant: String, in transaction: any SQLTransaction) throws -> DataStanding

    /// Does what follows from resources that were written, in the transaction that wrote them.
    ///
    /// - Parameter submissionID: the name under which they were recorded.
    func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws
}

extension WriteAdmission {
    public func problems(
        of resource: Resource, profiles: [String]
    ) throws(RecordAdmissionError) -> [RecordIssue] { [] }

    public func pattern(of admitted: AdmittedResource) -> (any AdmissionPattern)? { nil }
}

/// What the house has to say of Observations of a kind of which one was admitted.
public protocol AdmissionPattern: Sendable {
    /// What the house makes of another one beforehand (``AdmittedResource/prepared``); nil where it has to be looked into.
    ///
    func prepared(_ values: ObservationValues) -> (any Sendable)?
}

/// What becomes of data that come of a participant's devices. The sentences hold no health data.
public enum DataStanding: Sendable, Hashable {
    /// They are taken.
    case admitted
    /// They wait, until the consent or the study team says more.
    case held(code: String, sentence: String)
    /// They are not taken, and not kept.
    case refused(code: String, sentence: String)
}

/// A resource as it may be stored.
public struct AdmittedResource: Sendable {
    /// The resource, reduced where the study says so.
    public let resource: Resource
    /// What the house made of it beforehand, for what follows.
    public let prepared: (any Sendable)?

    /// Puts both together.
    public init(_ resource: Resource, prepared: (any Sendable)? = nil) {
        self.resource = resource
        self.prepared = prepared
    }
}

/// A resource that was created, changed or deleted.
public final class RecordChange: Sendable {
    /// The type of the resource.
    public let type: String
    /// Its id.
    public let id: String
    /// The number of its record.
    public let number: Int64
    /// The participant that it is about now; nil where it is nobody, are several, or it is deleted.
    public let subject: String?
    /// The one that it was about before.
    public let formerSubject: String?
    /// What became of it; nil where it is deleted.
    public let put: PutResult?
    /// What was made of it beforehand (``AdmittedResource/prepared``).
    public let prepared: (any Sendable)?

    init(
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

    /// A resource of a participant that was written, and stays theirs.
    public convenience init(_ record: NewRecord, _ put: PutResult, prepared: (any Sendable)?) {
        self.init(
            type: record.type, id: record.id, number: put.number, subject: record.subject,
            formerSubject: record.subject, put: put, prepared: prepared)
    }
}

/// Why a resource may not be written. The sentence holds no health data.
public struct RecordAdmissionError: CodedError, Hashable {
    /// What sort of reason it is.
    public enum Kind: Sendable, Hashable {
        /// The resource is not of the shape that FHIR gives its type: 400.
        case shape
        /// It breaks a rule of FHIR or of the study: 422.
        case rule
        /// It may not be written now, whatever it says: 403.
        case refused
    }

    /// What sort of reason it is.
    public let kind: Kind
    /// The stable code, such as `consent-withdrawn`.
    public let code: String
    /// A sentence that a person can act on.
    public let message: String
    /// The problems of the resource, where the reason is about its content.
    public let issues: [RecordIssue]

    /// A reason with its code and its sentence.
    public init(_ kind: Kind, _ code: String, _ message: String, issues: [RecordIssue] = []) {
        self.kind = kind
        self.code = code
        self.message = message
        self.issues = issues
    }
}
