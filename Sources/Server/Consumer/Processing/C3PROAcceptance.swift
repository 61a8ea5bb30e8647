/// What a study takes of C3-PRO's apps.
public struct C3PROAcceptance: Sendable, Hashable {
    /// Whether their envelopes are taken, their Contracts where they say the text of a template of the study, and their
    /// reports of activity.
    public var isAccepted: Bool
    /// Whether Contracts without a text count too, as the older apps sign them.
    public var acceptsContractsWithoutTerms: Bool

    public init(isAccepted: Bool, acceptsContractsWithoutTerms: Bool = false) {
        self.isAccepted = isAccepted
        self.acceptsContractsWithoutTerms = isAccepted && acceptsContractsWithoutTerms
    }
}
