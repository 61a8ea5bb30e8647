/// The role of an actor.
public enum Role: String, Sendable, CaseIterable {
    /// A participant's device: a registered client.
    case device
    /// A member of the study team, with a staff token.
    case staff
    /// Who works at the server's own command line: an account of the machine, which reaches the database anyway.
    case site
    /// A participant who signed in: sees the records of their own Patient.
    case participant
    /// A practitioner who signed in.
    case practitioner
    /// A client that acts on its own, without a person: SMART Backend Services.
    case service
}

/// Who asks, once they have proved it.
public struct Actor: Sendable, Hashable {
    /// The client's id, the staff token's id (never the token), or the account's name.
    public let id: String
    public let role: Role
    /// The participant that this device is bound to.
    public let participant: String?
    /// The device's enrolment, which outlives its clients when it registers again; nil for staff.
    public let enrolmentID: String?

    public init(id: String, role: Role, participant: String? = nil, enrolmentID: String? = nil) {
        self.id = id
        self.role = role
        self.participant = participant
        self.enrolmentID = enrolmentID
    }
}
