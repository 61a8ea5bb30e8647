/// What a study asks of who sends: what may come unsigned, and who may begin.
public struct SignaturePolicy: Sendable, Hashable {
    /// The study's id, which every signature names.
    public let study: String
    /// Whether devices may send without a signature.
    public let acceptsUnsigned: Bool
    /// Whether the receiver takes plain FHIR, which it seals on arrival: nobody signs that.
    public let acceptsGateway: Bool
    /// Whether a participant begins only with a code of the study team.
    public let requiresInvitation: Bool

    /// Puts a policy together; without more than a study the strictest but for the code.
    public init(
        study: String, acceptsUnsigned: Bool = false, acceptsGateway: Bool = false, requiresInvitation: Bool = false
    ) {
        self.study = study
        self.acceptsUnsigned = acceptsUnsigned
        self.acceptsGateway = acceptsGateway
        self.requiresInvitation = requiresInvitation
    }
}
