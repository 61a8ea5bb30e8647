/// The role of an actor.
package enum Role: String, Sendable, CaseIterable {
    /// A participant's device: a registered client.
    case device
    /// A member of the study team, with a staff token.
    case staff
    /// User of the server's own command line: an account of the machine, which has access to the database anyway.
    case site
    /// A participant who signed in; reads the records of their own Patient.
    case participant
    /// A practitioner who signed in.
    case practitioner
    /// A client without a person: SMART Backend Services.
    case service
    /// An identified person with an account in the people store.
    case accountHolder = "account-holder"
}

/// Authenticated caller.
package struct Actor: Sendable, Hashable {
    /// Id of the client, id of the staff token (never the token), or name of the account.
    package let id: String
    package let role: Role
    /// Participant to which this device is bound.
    package let participant: String?
    /// Enrolment of the device, which remains when the device registers again; nil for staff.
    package let enrolmentID: String?

    package init(id: String, role: Role, participant: String? = nil, enrolmentID: String? = nil) {
        self.id = id
        self.role = role
        self.participant = participant
        self.enrolmentID = enrolmentID
    }
}
