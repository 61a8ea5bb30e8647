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
    /// Id of the client (an app, a device or a server) that acts; nil for a person who acts without one.
    package let client: String?
    /// Participant to which this device is bound.
    package let participant: String?
    /// Enrolment of the device, which remains when the device registers again; nil for staff.
    package let enrolmentID: String?

    /// - Parameter client: id of the client that acts for a person; a device and a server are their own clients.
    package init(
        id: String, role: Role, client: String? = nil, participant: String? = nil, enrolmentID: String? = nil
    ) {
        self.id = id
        self.role = role
        self.client = client ?? (role == .device || role == .service ? id : nil)
        self.participant = participant
        self.enrolmentID = enrolmentID
    }
}
