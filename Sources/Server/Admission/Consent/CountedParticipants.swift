import Storage
import Warehouse

/// Selection of the participants who may be counted and exported for researchers; this is the only definition.
///
/// Participants who have withdrawn are excluded; their earlier data remains, and the study team reads it. Researchers
/// outside of the study may only use the data of participants whose consent in force permits it.
package enum CountedParticipants: Sendable, Hashable {
    /// All except those who have withdrawn.
    case notWithdrawn
    /// Those whose Contract in force permits sharing (``InformedConsent/SignedContract/sharing``).
    case sharing
    /// All, including those who have withdrawn.
    case withWithdrawn

    /// The patients in i2b2's tables.
    package var patients: PatientSelection {
        switch self {
        case .notWithdrawn:
            PatientSelection(
                participants: "SELECT subject FROM participant_consent WHERE standing = ?",
                parameters: [SQLValue(ConsentContext.State.withdrawn.rawValue)], isExclusion: true)
        case .sharing:
            PatientSelection(
                participants: "SELECT subject FROM participant_consent WHERE standing = ? AND shares = 1",
                parameters: [SQLValue(ConsentContext.State.consented.rawValue)], isExclusion: false)
        case .withWithdrawn: .all
        }
    }
}
