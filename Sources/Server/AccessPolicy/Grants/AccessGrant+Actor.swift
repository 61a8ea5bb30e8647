import Foundation

extension AccessGrant {
    /// Creates the grant of a token without scopes. A member of the study team reads and searches all records, whatever
    /// their labels; a device writes its participant's records and reads nothing. All other roles have no access to
    /// records.
    package init(_ actor: Actor, end: Date? = nil) {
        switch actor.role {
        case .staff:
            self.init(
                unchecked: nil, person: actor.id, role: .staff,
                parts: [AccessPart(patients: .all, scopes: AccessGrant.ofStaff, end: end)])
        case .device:
            let patients = PatientAccess.only(actor.participant.map { [$0] } ?? [])
            self.init(
                unchecked: actor.id, person: nil, role: .device,
                parts: [AccessPart(patients: patients, scopes: AccessGrant.ofDevices, end: end)])
        case .site, .participant, .practitioner, .service, .accountHolder:
            self.init(
                unchecked: actor.id, person: nil, role: actor.role,
                parts: [AccessPart(patients: .only([]), scopes: AccessScopes(known: []), end: end)])
        }
    }

    private static let ofStaff = AccessScopes(
        known: [AccessScope("user/*.rs"), .confidentiality(.veryRestricted), AccessScope("sens/*")])

    /// Labels do not restrict a device, because its participant's data replaces their own earlier records.
    private static let ofDevices = AccessScopes(
        known: [AccessScope("patient/*.cu"), .confidentiality(.veryRestricted), AccessScope("sens/*")])

    /// Actor for the audit and for decisions that do not concern records.
    package var actor: Actor {
        var participant: String?
        if role == .device, case .only(let patients) = onlyPart?.patients { participant = patients.first }
        return Actor(id: person ?? client ?? "", role: role, client: client, participant: participant)
    }
}
