/// An action that someone wants to do.
public enum Action: String, Sendable, CaseIterable {
    case register
    case issueToken = "issue-token"
    case submit
    case readDeliveries = "read-deliveries"
    case readQuestionnaire = "read-questionnaire"
    case readRecord = "read-record"
    case searchRecords = "search-records"
    case bindParticipant = "bind-participant"
    case writeRecord = "write-record"
    /// Storing a participant's health data straight, for consent on paper.
    case loadHealth = "load-health"
    /// Ending a device's binding, or letting a participant move to another device.
    case manageEnrolments = "manage-enrolments"
    /// Making and ending tokens of the study team.
    case manageTokens = "manage-tokens"
    /// Registering apps and servers that may ask for tokens, and ending them.
    case manageClients = "manage-clients"
    /// Making accounts of people who sign in, and ending them.
    case managePeople = "manage-people"
    /// Signing in, by the right password.
    case signIn = "sign-in"
    /// Letting an app have access for oneself; for a client that acts on its own, taking what it was registered for.
    case authorizeApp = "authorize-app"
    /// Deciding about a participant's consent in their place: a withdrawal on paper, the end of a suspension.
    case manageConsent = "manage-consent"
    /// Listing who takes part.
    case listParticipants = "list-participants"
    /// Looking at one participant: their consent, devices and counts.
    case readParticipant = "read-participant"
    /// Giving out all that is held of a participant, as they asked.
    case exportParticipant = "export-participant"
    /// Exporting records of many.
    case exportRecords = "export-records"
    /// Deleting a participant from every store, as they asked.
    case deleteParticipant = "delete-participant"
    /// Making a link to the record of an identified person.
    case createLink = "create-link"
    /// Looking at which participant is which identified person.
    case listLinks = "list-links"
    /// Having quarantined or held submissions handled again.
    case retrySubmissions = "retry-submissions"
    /// Refusing quarantined or held submissions for good.
    case discardSubmissions = "discard-submissions"
    /// Handing a link in: the participant's own.
    case linkParticipant = "link-participant"
}

/// The target of an action.
public struct Target: Sendable, Hashable {
    public let resourceType: String?
    public let resourceID: String?
    /// The participant that the resource is about.
    public let subject: String?

    public init(resourceType: String? = nil, resourceID: String? = nil, subject: String? = nil) {
        self.resourceType = resourceType
        self.resourceID = resourceID
        self.subject = subject
    }
}

/// Whether it may be done, and why.
public struct Decision: Sendable, Hashable {
    public let allowed: Bool
    /// A stable code: `permitted`, `bound`, `moved`, `not-authenticated`, `role-not-permitted`, `other-client`,
    /// `other-participant`, `not-bound`, `already-bound`, `binding-ended`, `participant-taken`, `move-code-refused`,
    /// `subject-missing`, `not-a-contract`, `signed`, `pinned`, `other-key`, `invitation-required`, `invitation-refused`, or the code of a refused proof.
    public let reason: String

    public init(allowed: Bool, reason: String) {
        self.allowed = allowed
        self.reason = reason
    }

    static let permitted = Decision(allowed: true, reason: "permitted")

    static func denied(_ reason: String) -> Decision {
        Decision(allowed: false, reason: reason)
    }
}
