import Core
import Foundation

/// A caller's permissions for records; every token has one.
///
/// Only ``Policy`` decides by it. Anything that a grant does not permit is forbidden.
package struct AccessGrant: Sendable, Hashable {
    /// Client (an app or a device) that acts; nil for a token that a person uses directly.
    package let client: String?
    /// Account of the person for whom it acts; nil for a client without a person.
    package let person: String?
    /// Role in which it acts.
    package let role: Role
    /// Patients whose records it gives access to.
    package let patients: PatientAccess
    /// Patient that was selected for the app. The scopes that begin with `patient/` are limited to this one
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#patient-specific-scopes>); if it
    /// is nil, they apply to ``patients``.
    package let patientInContext: String?
    /// Permitted operations, and limits of confidentiality and sensitivity.
    package let scopes: AccessScopes
    /// Purpose of the use of the records: a code of v3-ActReason below `PurposeOfUse`
    /// (<https://hl7.org/fhir/R4/v3/PurposeOfUse/vs.html>), such as `TREAT`.
    package let purpose: String?
    /// Resource of the person, which the scopes `openid fhirUser` let the client read independently of the other scopes
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data>);
    /// nil if there is none or the client may not know it.
    package let ownResource: OwnResource?
    /// Expiry; from that instant on it permits nothing. nil if it does not expire by itself.
    package let end: Date?

    /// Maximum confidentiality of its records: the highest `conf/` scope, or `N` without one.
    package let confidentiality: Confidentiality
    /// Sensitive records that it gives access to, from the `sens/` scopes.
    package let sensitivity: SensitivityAccess

    /// Creates a grant with scopes that are already narrowed to what the caller may have.
    ///
    /// - Throws: ``AccessGrantError/patientMissing`` for a participant's grant, or one with a `patient/` scope, without
    ///   patients: a grant for one patient must never become one for all by omission.
    package init(
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

    /// Whether the grant has expired.
    package func hasEnded(at now: Date) -> Bool { end.map { now >= $0 } ?? false }

    /// Whether the grant may lower labels, because it has access to all of them.
    var mayLowerLabels: Bool { confidentiality == .veryRestricted && sensitivity == .every }

    /// Returns the patients whose records a scope with this context gives access to.
    func patients(of context: ResourceScope.Context) -> PatientAccess {
        guard context == .patient, let patientInContext else { return patients }
        return patients.intersection(patientInContext)
    }
}

/// Type and id of a person's own resource: the claim `fhirUser`.
package struct OwnResource: Sendable, Hashable {
    package let type: String
    package let id: String

    package init(type: String, id: String) {
        self.type = type
        self.id = id
    }
}

/// Reason why a grant cannot be created.
package enum AccessGrantError: CodedError, Hashable {
    /// It must be limited to patients, and contains none.
    case patientMissing

    /// Stable code: `patient-missing`.
    package var code: String { "patient-missing" }

    /// Message for users that suggests an action.
    package var message: String {
        "A participant's access and scopes with patient/ need patients; specify them, or request user/ or system/."
    }
}
