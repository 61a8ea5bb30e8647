import FHIR

extension ConsentTemplate {
    /// Whether a version of the consent may be signed (``ConsentVocabulary/status``).
    public enum Status: String, Sendable, CaseIterable {
        /// The version that is shown to who signs now.
        case current
        /// An earlier version that phones may still sign which have not learned of the current one.
        case accepted
        /// Nobody may sign it any more. Who signed it in its time stays consented, unless a later version is a major change.
        case retired
    }

    /// The meaning of a version for those who signed an earlier one (``ConsentVocabulary/change``).
    public enum Change: String, Sendable, CaseIterable {
        /// They sign again; until then what they send is held.
        case major
        /// They are told.
        case minor
        /// Nothing.
        case editorial
    }

    /// Whether the version may be signed; a code that is none of these counts as retired.
    public var status: Status {
        guard let code = contract.extension(ConsentVocabulary.status)?.value?.json.string else { return .current }
        return Status(rawValue: code) ?? .retired
    }

    /// The meaning of the version for those who signed an earlier one; a code that is none of these counts as major.
    public var change: Change {
        guard let code = contract.extension(ConsentVocabulary.change)?.value?.json.string else { return .major }
        return Change(rawValue: code) ?? .major
    }

    /// The place of the version among those of the consent.
    var rank: BusinessVersion { BusinessVersion(version) }
}
