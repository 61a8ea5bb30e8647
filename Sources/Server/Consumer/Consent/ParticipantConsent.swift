import FHIR
import Foundation

/// What the study knows of a participant's consent.
public struct ParticipantConsent: Sendable, Hashable {
    public var standing: ConsentStanding = .none
    /// The id of the contract that stands, or that was withdrawn.
    public var contractID: String?
    public var templateURL: String?
    public var templateVersion: String?
    /// The participant's answer to whether qualified researchers elsewhere may use the data; nil where not asked.
    public var sharesWidely: Bool?
    /// When the participant signed, as the contract says.
    public var signedAt: Date?
    /// When the contract came.
    public var consentedAt: Date?
    /// When the withdrawal came.
    public var withdrawnAt: Date?

    public init() {}
}
