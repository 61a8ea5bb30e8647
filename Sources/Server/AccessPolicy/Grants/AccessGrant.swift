import Core
import Foundation

/// A caller's permissions for records; every token has one.
///
/// Only ``Policy`` decides by it. Anything that a grant does not permit is forbidden. It consists of parts
/// (``AccessPart``), and permits only what a single part permits.
package struct AccessGrant: Sendable, Hashable {
    /// Client (an app or a device) that acts; nil for a token that a person uses directly.
    package let client: String?
    /// Account of the person for whom it acts; nil for a client without a person.
    package let person: String?
    /// Role in which it acts.
    package let role: Role
    /// Purpose of the use of the records: a code of v3-ActReason below `PurposeOfUse`
    /// (<https://hl7.org/fhir/R4/v3/PurposeOfUse/vs.html>), such as `TREAT`.
    package let purpose: String?
    /// Resource of the person, which the scopes `openid fhirUser` let the client read independently of the other scopes
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data>);
    /// nil if there is none or the client may not know it.
    package let ownResource: OwnResource?
    /// Ids of the permissions of people that it rests on; empty for a grant that rests on none.
    package let permissionIDs: Set<String>
    /// Parts, of which each counts by itself. No two parts differ only in their patients.
    let parts: [AccessPart]

    /// Creates a grant of one part, with scopes that are already narrowed to what the caller may have.
    ///
    /// - Parameters:
    ///   - patients: patients whose records it gives access to.
    ///   - patientInContext: patient that was selected for the app. The scopes that begin with `patient/` are limited
    ///     to this one; if it is nil, they apply to `patients`.
    ///   - end: the first instant at which it permits nothing any more; nil if it does not expire by itself.
    /// - Throws: ``AccessGrantError/patientMissing`` for a participant's grant, or one with a `patient/` scope, without
    ///   patients: a grant for one patient must never become one for all by omission.
    package init(
        client: String?, person: String? = nil, role: Role, patients: PatientAccess, patientInContext: String? = nil,
        scopes: AccessScopes, purpose: String? = nil, ownResource: OwnResource? = nil, end: Date? = nil
    ) throws(AccessGrantError) {
        let part = AccessPart(patients: patients, patientInContext: patientInContext, scopes: scopes, end: end)
        guard !part.isMissingPatients(for: role) else { throw .patientMissing }
        self.init(
            unchecked: client, person: person, role: role, parts: [part], purpose: purpose, ownResource: ownResource)
    }

    /// Creates a grant without checks.
    ///
    /// - Parameter parts: parts of which no two differ only in their patients.
    init(
        unchecked client: String?, person: String?, role: Role, parts: [AccessPart], purpose: String? = nil,
        ownResource: OwnResource? = nil, permissionIDs: Set<String> = []
    ) {
        self.client = client
        self.person = person
        self.role = role
        self.parts = parts
        self.purpose = purpose
        self.ownResource = parts.contains(where: \.mayKnowPerson) ? ownResource : nil
        self.permissionIDs = permissionIDs
    }

    /// Whether the grant has expired: all of its parts have. A grant without parts has expired.
    package func hasEnded(at now: Date) -> Bool { parts.allSatisfy { $0.hasEnded(at: now) } }

    /// Only part; nil for a grant of several parts or none.
    var onlyPart: AccessPart? { parts.count == 1 ? parts.first : nil }

    /// Patient whom all parts have in context; nil if there is none, or if the parts differ.
    package var patientInContext: String? {
        guard let first = parts.first, parts.allSatisfy({ $0.patientInContext == first.patientInContext }) else {
            return nil
        }
        return first.patientInContext
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
    /// It has more than ``AccessGrant/maximumParts`` parts, or more than ``AccessGrant/maximumForms`` different lists
    /// of scopes.
    case tooManyParts
    /// Its parts name more than ``AccessGrant/maximumPatients`` patients, counted for each part.
    case tooManyPatients

    /// Stable code: `patient-missing`, `grant-parts-too-many`, `grant-patients-too-many`.
    package var code: String {
        switch self {
        case .patientMissing: "patient-missing"
        case .tooManyParts: "grant-parts-too-many"
        case .tooManyPatients: "grant-patients-too-many"
        }
    }

    /// Message for users that suggests an action.
    package var message: String {
        switch self {
        case .patientMissing:
            "A participant's access and scopes with patient/ need patients; specify them, or request user/ or system/."
        case .tooManyParts:
            """
            This access would have more than \(AccessGrant.maximumParts) parts or \(AccessGrant.maximumForms) kinds of \
            permissions; request it for fewer people.
            """
        case .tooManyPatients:
            "This access would name more than \(AccessGrant.maximumPatients) patients; request it for fewer people."
        }
    }
}
