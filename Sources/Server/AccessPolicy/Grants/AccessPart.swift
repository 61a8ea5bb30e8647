import Foundation

/// A part of a grant: patients, scopes with their labels, and the period in which they count.
///
/// A part permits an interaction only by itself. Two parts are never combined: the scopes of one do not count for the
/// patients or the labels of another. Only this module reads the members.
package struct AccessPart: Sendable, Hashable {
    /// Patients whose records it gives access to.
    private(set) var patients: PatientAccess
    /// Patient that was selected for the app. The scopes that begin with `patient/` are limited to this one
    /// (<https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#patient-specific-scopes>); if it
    /// is nil, they apply to ``patients``.
    let patientInContext: String?
    /// Permitted operations, and limits of confidentiality and sensitivity.
    let scopes: AccessScopes
    /// Start; before that instant it permits nothing. nil if it has no start.
    let start: Date?
    /// Expiry; from that instant on it permits nothing. nil if it does not expire by itself.
    let end: Date?

    /// Maximum confidentiality of its records: the highest `conf/` scope, or `N` without one.
    let confidentiality: Confidentiality
    /// Sensitive records that it gives access to, from the `sens/` scopes.
    let sensitivity: SensitivityAccess
    /// Whether the scopes `openid fhirUser` or `openid profile` are among its scopes.
    let mayKnowPerson: Bool
    /// Number of the scopes and the patient in context: those parts of a grant that agree in both have the same number.
    private(set) var formNumber = 0

    /// Creates a part with scopes that are already narrowed to what the caller may have.
    ///
    /// - Parameters:
    ///   - start: the first instant at which it counts; nil for no start.
    ///   - end: the first instant at which it does not count any more; nil for no end.
    package init(
        patients: PatientAccess, patientInContext: String? = nil, scopes: AccessScopes, start: Date? = nil,
        end: Date? = nil
    ) {
        self.patients = patients
        self.patientInContext = patientInContext
        self.scopes = scopes
        self.start = start
        self.end = end
        confidentiality = scopes.confidentiality
        sensitivity = scopes.sensitivity
        mayKnowPerson = scopes.contains(.openID) && (scopes.contains(.fhirUser) || scopes.contains(.profile))
    }

    /// Whether it has expired.
    func hasEnded(at now: Date) -> Bool { end.map { now >= $0 } ?? false }

    /// Whether it counts: it has begun and has not expired.
    func isInForce(at now: Date) -> Bool { !hasEnded(at: now) && start.map { now >= $0 } ?? true }

    /// Whether it may lower labels, because it has access to all of them.
    var mayLowerLabels: Bool { confidentiality == .veryRestricted && sensitivity == .every }

    /// Returns the patients whose records a scope with this context gives access to.
    func patients(of context: ResourceScope.Context) -> PatientAccess {
        guard context == .patient, let patientInContext else { return patients }
        return patients.intersection(patientInContext)
    }

    /// Whether it must be limited to patients and is not: a grant for one patient must never become one for all by
    /// omission.
    func isMissingPatients(for role: Role) -> Bool {
        guard patients == .all, patientInContext == nil || role == .participant else { return false }
        return role == .participant || scopes.resources.contains { $0.context == .patient }
    }

    /// Whether it shows at least as much of a type as another part, each while it is in force.
    func shows(asMuchAs other: AccessPart, of type: String) -> Bool {
        guard patients.includes(other.patients), patientInContext == other.patientInContext,
            confidentiality >= other.confidentiality, sensitivity.includes(other.sensitivity)
        else { return false }
        return [ScopePermissions.read, .search].allSatisfy { permission in
            let own = scopes.resources(of: type, for: permission)
            return !own.isEmpty
                && other.scopes.resources(of: type, for: permission).allSatisfy { scope in
                    own.contains {
                        ($0.query == nil || $0.query == scope.query)
                            && patients(of: $0.context).includes(other.patients(of: scope.context))
                    }
                }
        }
    }
}

extension AccessPart {
    /// Creates a part that has the patients of several parts, which differ in nothing else.
    private init(_ part: AccessPart, joining patients: [PatientAccess], formNumber: Int) {
        self = part
        self.patients = patients.count == 1 ? part.patients : PatientAccess(joining: patients)
        self.formNumber = formNumber
    }

    /// Joins the parts that differ only in their patients into one, and numbers the parts.
    static func joined(_ parts: [AccessPart]) -> [AccessPart] {
        struct Form: Hashable {
            let scopes: Set<String>
            let withheldTypes: Set<String>
            let patientInContext: String?
        }
        struct Period: Hashable {
            let formNumber: Int
            let start: Date?
            let end: Date?
        }
        var forms: [Form: Int] = [:]
        var indices: [Period: Int] = [:]
        var groups: [(first: AccessPart, formNumber: Int, patients: [PatientAccess])] = []
        var last: (scopes: AccessScopes, texts: Set<String>)?
        for part in parts {
            // Nearly all parts have the same scopes as the one before.
            let texts = last?.scopes == part.scopes ? last?.texts ?? [] : Set(part.scopes.scopes.map(\.text))
            last = (part.scopes, texts)
            let form = Form(
                scopes: texts, withheldTypes: part.scopes.withheldTypes, patientInContext: part.patientInContext)
            let formNumber = forms[form] ?? forms.count
            forms[form] = formNumber
            let period = Period(formNumber: formNumber, start: part.start, end: part.end)
            if let index = indices[period] {
                groups[index].patients.append(part.patients)
            } else {
                indices[period] = groups.count
                groups.append((part, formNumber, [part.patients]))
            }
        }
        return groups.map { AccessPart($0.first, joining: $0.patients, formNumber: $0.formNumber) }
    }
}
