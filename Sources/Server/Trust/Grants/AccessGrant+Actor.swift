import Foundation

extension AccessGrant {
    /// What a token without scopes of its own is worth with records: one of the study team reads and searches all that
    /// is held, whatever its labels; a device writes what is its participant's, and reads nothing. Every other role has no
    /// records by its token.
    public init(_ actor: Actor, end: Date? = nil) {
        switch actor.role {
        case .staff:
            self.init(
                unchecked: nil, person: actor.id, role: .staff, patients: .all, scopes: AccessGrant.ofStaff, end: end)
        case .device:
            self.init(
                unchecked: actor.id, person: nil, role: .device,
                patients: .only(actor.participant.map { [$0] } ?? []), scopes: AccessGrant.ofDevices, end: end)
        case .site, .participant, .practitioner, .service:
            self.init(
                unchecked: actor.id, person: nil, role: actor.role, patients: .only([]),
                scopes: AccessScopes(known: []),
                end: end)
        }
    }

    private static let ofStaff = AccessScopes(
        known: [AccessScope("user/*.rs"), .confidentiality(.veryRestricted), AccessScope("sens/*")])

    /// Labels keep a device from nothing: what its participant sends replaces what was theirs before.
    private static let ofDevices = AccessScopes(
        known: [AccessScope("patient/*.cu"), .confidentiality(.veryRestricted), AccessScope("sens/*")])

    /// Who acts, as the audit names them and as everything that is decided without records asks for.
    public var actor: Actor {
        var participant: String?
        if role == .device, case .only(let patients) = patients { participant = patients.first }
        return Actor(id: person ?? client ?? "", role: role, participant: participant)
    }
}
