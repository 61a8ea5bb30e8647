import Storage
import Warehouse

/// The participants who may be counted and given out to researchers: the one place that says so.
///
/// Who has withdrawn is left out; what they gave before stays and is read by the study team. Other researchers than the
/// study's own may only use the data of those whose consent in force says so.
public enum CountedParticipants: Sendable, Hashable {
    /// All but those who have withdrawn.
    case notWithdrawn
    /// Those whose contract in force permits sharing (``InformedConsent/SignedContract/sharing``).
    case sharing
    /// All, also those who have withdrawn.
    case withWithdrawn

    /// The patients in i2b2's tables.
    public var patients: PatientSelection {
        switch self {
        case .notWithdrawn:
            PatientSelection(
                participants: "SELECT subject FROM participant_consent WHERE standing = ?",
                parameters: [SQLValue(ConsentStanding.withdrawn.rawValue)], isExclusion: true)
        case .sharing:
            PatientSelection(
                participants: "SELECT subject FROM participant_consent WHERE standing = ? AND shares = 1",
                parameters: [SQLValue(ConsentStanding.consented.rawValue)], isExclusion: false)
        case .withWithdrawn: .all
        }
    }
}
