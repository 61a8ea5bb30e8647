import Foundation

/// The standing of a participant's consent, as far as the gate must know it.
public enum ConsentStanding: String, Sendable, Hashable {
    /// No contract has come.
    case none
    /// A contract stands.
    case consented
    /// The participant took it back.
    case withdrawn
}

/// Decides what becomes of one opened submission. Pure: the consumer performs the decision in one transaction.
public struct ConsentGate: Sendable {
    /// The kind of an incoming resource, as the gate tells them apart.
    public enum Subject: Sendable, Hashable {
        /// A contract of this study, signed by the participant.
        case contract
        /// A contract that does not count, and why.
        case foreignContract(Reason)
        /// A consent that takes the contract back.
        case withdrawal
        /// Anything that is only taken while there is a contract.
        case data
        /// Health data that is only taken while there is a contract that names one of these
        /// (``InformedConsent/ConsentVocabulary/includesHealthData``).
        case namedData(Set<String>)
        /// The deletion of data that the participant's device sent.
        case deletion

        /// Why a contract does not count; nil for what is none, or counts.
        var foreignReason: Reason? {
            if case .foreignContract(let reason) = self { reason } else { nil }
        }
    }

    public enum Decision: Sendable, Hashable {
        case admit
        case hold(until: Requirement)
        case refuse(Reason)
        case quarantine(Reason)
    }

    /// The requirement that a held submission waits for.
    public enum Requirement: Sendable, Hashable {
        case contract
        /// The study's consent has changed so that the participant is to sign it again.
        case renewal
        /// Something that may be a withdrawal was not understood yet.
        case endOfSuspension
        /// The study gives the participant so long to come back before it refuses what came since.
        case endOfGrace(Date)

        /// The stable code, told to the device.
        public var code: String {
            switch self {
            case .contract: "consent-required"
            case .renewal: "consent-renewal-required"
            case .endOfSuspension: "consent-suspended"
            case .endOfGrace: "consent-withdrawn"
            }
        }

        /// The reason for people; it holds no health data.
        var sentence: String {
            switch self {
            case .contract: "No contract of this participant has come."
            case .renewal:
                "The study's consent has a newer version that the participant has to sign before more is taken."
            case .endOfSuspension:
                "The participant's device sent a Consent that may be a withdrawal and was not understood; see `participant`."
            case .endOfGrace: "The participant has withdrawn their consent, a short while ago."
            }
        }
    }

    /// The reason that a submission is not taken; the raw value is told to the device.
    public enum Reason: String, Sendable, Hashable {
        case withdrawn = "consent-withdrawn"
        case foreignContract = "contract-unknown"
        case retiredContract = "contract-retired"
        case contractWithoutTerms = "contract-without-terms"
        case notIncluded = "inclusion-not-in-consent"

        /// The reason for people; it holds no health data.
        var sentence: String {
            switch self {
            case .withdrawn: "The participant has withdrawn their consent."
            case .foreignContract:
                "The contract says the text of no consent document of this study (consent/): compare its terms, url and version."
            case .retiredContract: "The contract is of a version of the consent that nobody may sign any more."
            case .contractWithoutTerms:
                "The contract of a C3-PRO app says no text; such count where study.json has \"c3pro\": {\"contractsWithoutTerms\": true}."
            case .notIncluded:
                "The participant's consent does not name what this holds: routes, heartbeats, clinical records or notes."
            }
        }
    }

    /// The situation of a participant when a resource comes to the gate.
    public struct Situation: Sendable, Hashable {
        public var standing: ConsentStanding
        /// The kinds of health data that the contract in force names, of those that are only taken where they are
        /// named.
        public var included: Set<String>
        /// Whether the participant has to sign again before data is taken.
        public var needsRenewal: Bool
        /// Whether something that may be a withdrawal waits to be understood.
        public var isSuspended: Bool
        /// Until when what comes after a withdrawal is held; nil where it is refused at once.
        public var graceEnds: Date?

        public init(
            standing: ConsentStanding, included: Set<String> = [], needsRenewal: Bool = false,
            isSuspended: Bool = false, graceEnds: Date? = nil
        ) {
            self.standing = standing
            self.included = included
            self.needsRenewal = needsRenewal
            self.isSuspended = isSuspended
            self.graceEnds = graceEnds
        }
    }

    public init() {}

    public func decide(_ subject: Subject, in situation: Situation) -> Decision {
        switch (subject, situation.standing) {
        case (.foreignContract(let reason), _): .quarantine(reason)
        case (.contract, _): .admit
        // A withdrawal that comes twice changes nothing, so it may come.
        case (.withdrawal, .consented), (.withdrawal, .withdrawn): .admit
        // Who takes part no more may still take back what they gave.
        case (.deletion, .consented), (.deletion, .withdrawn): .admit
        case (.withdrawal, .none), (.data, .none), (.namedData, .none), (.deletion, .none): .hold(until: .contract)
        case (.data, _) where situation.isSuspended, (.namedData, _) where situation.isSuspended:
            .hold(until: .endOfSuspension)
        case (.data, .consented) where situation.needsRenewal, (.namedData, .consented) where situation.needsRenewal:
            .hold(until: .renewal)
        case (.data, .consented): .admit
        case (.namedData(let names), .consented):
            names.isDisjoint(with: situation.included) ? .refuse(.notIncluded) : .admit
        case (.data, .withdrawn), (.namedData, .withdrawn):
            if let end = situation.graceEnds { .hold(until: .endOfGrace(end)) } else { .refuse(.withdrawn) }
        }
    }
}
