import Core
import Foundation

/// What somebody may do with records: the one value behind every token.
///
/// ``Policy`` alone decides by it. A grant that does not permit something forbids it.
public struct AccessGrant: Sendable, Hashable {
    /// The client, an app or a device, that acts; nil for a token that a person uses by hand.
    public let client: String?
    /// The account of the person for whom it acts; nil where it acts on its own.
    public let person: String?
    /// The role in which it acts.
    public let role: Role
    /// Whose records it reaches.
    public let patients: PatientAccess
    /// The patient that was chosen for the app. The scopes that begin with `patient/` reach this one alone
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#patient-specific-scopes>); without
    /// one they reach ``patients``.
    public let patientInContext: String?
    /// What it may do with them, and how far it goes.
    public let scopes: AccessScopes
    /// For what the records are used: a code of v3-ActReason below `PurposeOfUse`
    /// (<https://hl7.org/fhir/R4/v3/PurposeOfUse/vs.html>), such as `TREAT`.
    public let purpose: String?
    /// The resource that the person is, which the scopes `openid fhirUser` let the client read whatever the other scopes reach
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data>);
    /// nil where there is none or the client may not know it.
    public let ownResource: OwnResource?
    /// When it ends; at that instant it permits nothing any more. nil where it has no end of its own.
    public let end: Date?

    /// Up to which confidentiality its records go: the highest `conf/` among the scopes, `N` without one.
    public let confidentiality: Confidentiality
    /// Which sensitive records it reaches: what the `sens/` among the scopes say.
    public let sensitivity: SensitivityAccess

    /// A grant with its scopes as they were narrowed to what may be had.
    ///
    /// - Throws: ``AccessGrantError/patientMissing`` for a participant's grant or one with a scope `patient/` that names
    ///   no patients: what reaches one patient must never reach all by an omission.
    public init(
        client: String?, person: String? = nil, role: Role, patients: PatientAccess, patientInContext: String? = nil,
        scopes: AccessScopes, purpose: String? = nil, ownResource: OwnResource? = nil, end: Date? = nil
    ) throws(AccessGrantError) {
        if patients == .all, patientInContext == nil || role == .participant {
            let isForOne = role == .participant || scopes.resources.contains { $0.context == .patient }
            guard !isForOne else { throw .patientMissing }
        }
        self.init(
            unchecked: client, person: person, role: role, patients: patients, patientInContext: patientInContext,
            scopes: scopes, purpose: purpose, ownResource: ownResource, end: end)
    }

    init(
        unchecked client: String?, person: String?, role: Role, patients: PatientAccess,
        patientInContext: String? = nil,
        scopes: AccessScopes, purpose: String? = nil, ownResource: OwnResource? = nil, end: Date?
    ) {
        self.client = client
        self.person = person
        self.role = role
        self.patients = patients
        self.patientInContext = patientInContext
        self.scopes = scopes
        self.purpose = purpose
        let mayKnowPerson = scopes.contains(.openID) && (scopes.contains(.fhirUser) || scopes.contains(.profile))
        self.ownResource = mayKnowPerson ? ownResource : nil
        self.end = end
        confidentiality = scopes.confidentiality
        sensitivity = scopes.sensitivity
    }

    /// Whether it has ended.
    public func hasEnded(at now: Date) -> Bool { end.map { now >= $0 } ?? false }

    /// Whether it may lower labels: nothing is hidden from it.
    var mayLowerLabels: Bool { confidentiality == .veryRestricted && sensitivity == .every }

    /// Whose records a scope of it reaches.
    func patients(of context: ResourceScope.Context) -> PatientAccess {
        guard context == .patient, let patientInContext else { return patients }
        return patients.intersection(patientInContext)
    }
}

/// The type and the id of the resource that a person is: the claim `fhirUser`.
public struct OwnResource: Sendable, Hashable {
    public let type: String
    public let id: String

    public init(type: String, id: String) {
        self.type = type
        self.id = id
    }
}

/// Why there is no such grant.
public enum AccessGrantError: CodedError, Hashable {
    /// It is for certain patients by its nature, and none are named.
    case patientMissing

    /// The stable code: `patient-missing`.
    public var code: String { "patient-missing" }

    /// A sentence that a person can act on.
    public var message: String {
        "A participant's access and scopes that begin with patient/ need patients; name them, or ask for user/ or system/."
    }
}
