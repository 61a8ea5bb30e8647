/// Action that an actor requests.
package enum Action: String, Sendable, CaseIterable {
    case register
    case issueToken = "issue-token"
    case submit
    case readDeliveries = "read-deliveries"
    case readQuestionnaire = "read-questionnaire"
    case readRecord = "read-record"
    case searchRecords = "search-records"
    case bindParticipant = "bind-participant"
    case writeRecord = "write-record"
    /// Stores a participant's health data directly, for consent on paper.
    case loadHealth = "load-health"
    /// Ends a device's binding, or lets a participant move to another device.
    case manageEnrolments = "manage-enrolments"
    /// Creates and revokes tokens of the study team.
    case manageTokens = "manage-tokens"
    /// Registers and revokes apps and servers that may request tokens.
    case manageClients = "manage-clients"
    /// Creates and disables accounts of people who sign in.
    case managePeople = "manage-people"
    /// Signs in with a password.
    case signIn = "sign-in"
    /// Authorizes an app for oneself; for a client without a person, obtains the access for which it was registered.
    case authorizeApp = "authorize-app"
    /// Decides about a participant's consent on their behalf: a withdrawal on paper, the end of a suspension.
    case manageConsent = "manage-consent"
    /// Lists the participants.
    case listParticipants = "list-participants"
    /// Reads one participant's status: consent, devices and counts.
    case readParticipant = "read-participant"
    /// Exports all data of a participant at their request.
    case exportParticipant = "export-participant"
    /// Exports records of many participants.
    case exportRecords = "export-records"
    /// Deletes a participant from every store at their request.
    case deleteParticipant = "delete-participant"
    /// Creates a link to the record of an identified person.
    case createLink = "create-link"
    /// Lists which participant is which identified person.
    case listLinks = "list-links"
    /// Returns quarantined or held submissions to processing.
    case retrySubmissions = "retry-submissions"
    /// Refuses quarantined or held submissions for good.
    case discardSubmissions = "discard-submissions"
    /// Submits a link as the participant.
    case linkParticipant = "link-participant"
    /// Creates an account of an identified person, without being signed in.
    case signUp = "sign-up"
    /// Reads or changes one's own account and its data.
    case useAccount = "use-account"
    /// Lists the patients that the caller's grants make visible.
    case listPatients = "list-patients"
    /// Reads the profile or the photo of a patient's account.
    case readProfile = "read-profile"
    /// Reads the consents of a patient's account.
    case readConsents = "read-consents"
    /// Reads the results of a patient's account.
    case readResults = "read-results"
    /// Reads the care plan of an account.
    case readPlan = "read-plan"
    /// Changes the care plan of an account.
    case changePlan = "change-plan"
    /// Gives roles to accounts and takes them back.
    case manageGrants = "manage-grants"
    /// Registers a csi: an app or a wallet on a device.
    case registerCsi = "register-csi"
    /// Replaces the key of a csi, or ends a csi.
    case manageCsi = "manage-csi"
    /// Assigns the role of a provider or a caregiver to a csi.
    case assignCsiRole = "assign-csi-role"
    /// Reads the claims of a csi about its person.
    case readClaims = "read-claims"
    /// Creates a one-time code that binds a wallet.
    case createWalletCode = "create-wallet-code"
    /// Binds a wallet to a Patient.
    case bindWallet = "bind-wallet"
    /// Gives a permission, or passes one on.
    case grantPermission = "grant-permission"
    /// Ends permissions.
    case endPermission = "end-permission"
    /// Lists permissions.
    case listPermissions = "list-permissions"
    /// Ends an approval of an app.
    case endApproval = "end-approval"
}

/// The target of an action.
package struct Target: Sendable, Hashable {
    package let resourceType: String?
    package let resourceID: String?
    /// The participant that the resource is about.
    package let subject: String?

    package init(resourceType: String? = nil, resourceID: String? = nil, subject: String? = nil) {
        self.resourceType = resourceType
        self.resourceID = resourceID
        self.subject = subject
    }
}

/// Decision about an action, with its reason.
package struct Decision: Sendable, Hashable {
    package let allowed: Bool
    /// Stable code: `permitted`, `bound`, `moved`, `not-authenticated`, `role-not-permitted`, `other-client`,
    /// `other-participant`, `not-bound`, `already-bound`, `binding-ended`, `participant-taken`, `move-code-refused`,
    /// `subject-missing`, `not-a-contract`, `other-account`, `no-grant`, `not-visible`, `not-verified`, `read-only`, `signed`, `pinned`, `other-key`, `invitation-required`,
    /// `invitation-refused`, or the code of a refused proof.
    package let reason: String

    package init(allowed: Bool, reason: String) {
        self.allowed = allowed
        self.reason = reason
    }

    /// The permission without a particular reason.
    package static let permitted = Decision(allowed: true, reason: "permitted")

    /// Creates a denial with a stable code.
    package static func denied(_ reason: String) -> Decision {
        Decision(allowed: false, reason: reason)
    }
}
