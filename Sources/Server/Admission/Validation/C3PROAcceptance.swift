/// Content of C3-PRO's apps that a study accepts.
package struct C3PROAcceptance: Sendable, Hashable {
    /// Whether their envelopes are accepted, their Contracts if they contain the text of a template of the study, and
    /// their activity reports.
    package var isAccepted: Bool
    /// Whether Contracts without terms are accepted too, as the older apps sign them.
    package var acceptsContractsWithoutTerms: Bool

    package init(isAccepted: Bool, acceptsContractsWithoutTerms: Bool = false) {
        self.isAccepted = isAccepted
        self.acceptsContractsWithoutTerms = isAccepted && acceptsContractsWithoutTerms
    }
}
