/// A study's rules for senders: accepted unsigned submissions, and invitations.
package struct SignaturePolicy: Sendable, Hashable {
    /// Id of the study, which every signature contains.
    package let study: String
    /// Whether devices may send without a signature.
    package let acceptsUnsigned: Bool
    /// Whether the receiver accepts plain FHIR, which it seals on arrival, unsigned.
    package let acceptsGateway: Bool
    /// Whether a participant needs a code of the study team to begin.
    package let requiresInvitation: Bool

    /// Creates a policy. By default it is the strictest one, except for the invitation.
    package init(
        study: String, acceptsUnsigned: Bool = false, acceptsGateway: Bool = false, requiresInvitation: Bool = false
    ) {
        self.study = study
        self.acceptsUnsigned = acceptsUnsigned
        self.acceptsGateway = acceptsGateway
        self.requiresInvitation = requiresInvitation
    }
}
