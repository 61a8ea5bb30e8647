import FHIR

extension ConsentTemplate {
    /// The status of a version of the consent (``ConsentVocabulary/status``).
    public enum Status: String, Sendable, CaseIterable {
        /// The version that is shown for signing.
        case current
        /// An earlier version that phones can still sign until they know the current one.
        case accepted
        /// A version that must not be signed any more. Persons who signed it earlier remain consented, unless a later
        /// version is a major change.
        case retired
    }

    /// The effect of a version on persons who signed an earlier one (``ConsentVocabulary/change``).
    public enum Change: String, Sendable, CaseIterable {
        /// They sign again; until then their data is held.
        case major
        /// They are informed.
        case minor
        /// No effect.
        case editorial
    }

    /// The status of the version; an unknown code means retired.
    public var status: Status {
        guard let code = contract.extension(ConsentVocabulary.status)?.value?.json.string else { return .current }
        return Status(rawValue: code) ?? .retired
    }

    /// The effect of the version on persons who signed an earlier one; an unknown code means major.
    public var change: Change {
        guard let code = contract.extension(ConsentVocabulary.change)?.value?.json.string else { return .major }
        return Change(rawValue: code) ?? .major
    }

    /// The order of the version among the versions of the consent.
    var rank: BusinessVersion { BusinessVersion(version) }
}
