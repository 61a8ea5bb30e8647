/// What the gate must know of a participant.
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
    /// What an incoming resource is to the gate.
    public enum Subject: Sendable, Hashable {
        /// A contract of this study, signed by the participant.
        case contract
        /// A contract that is none of this study's.
        case foreignContract
        /// A consent that takes the contract back.
        case withdrawal
        /// Anything that is only taken while there is a contract.
        case data
        /// Health data that is only taken while there is a contract that names one of these
        /// (``InformedConsent/ConsentVocabulary/includesHealthData``).
        case namedData(Set<String>)
    }

    public enum Decision: Sendable, Hashable {
        case admit
        case hold(until: Requirement)
        case refuse(Reason)
        case park(Reason)
    }

    /// What a held submission waits for.
    public enum Requirement: String, Sendable, Hashable {
        case contract = "consent-required"
    }

    /// Why a submission is not taken; the raw value is told to the device.
    public enum Reason: String, Sendable, Hashable {
        case withdrawn = "consent-withdrawn"
        case foreignContract = "contract-unknown"
        case notIncluded = "inclusion-not-in-consent"

        /// The reason for people; it holds no health data.
        var sentence: String {
            switch self {
            case .withdrawn: "The participant has withdrawn their consent."
            case .foreignContract:
                "The contract names no consent document of this study (its url and version are not in consent/)."
            case .notIncluded:
                "The participant's consent does not name what this holds: routes, heartbeats, clinical records or notes."
            }
        }
    }

    public init() {}

    /// - Parameter included: what of health data that is only taken by name the contract in force names.
    public func decide(
        _ subject: Subject, given standing: ConsentStanding, naming included: Set<String> = []
    ) -> Decision {
        switch (subject, standing) {
        case (.foreignContract, _): .park(.foreignContract)
        case (.contract, _): .admit
        // A withdrawal that comes twice changes nothing, so it may come.
        case (.withdrawal, .consented), (.withdrawal, .withdrawn): .admit
        case (.withdrawal, .none), (.data, .none), (.namedData, .none): .hold(until: .contract)
        case (.data, .consented): .admit
        case (.namedData(let names), .consented): names.isDisjoint(with: included) ? .refuse(.notIncluded) : .admit
        case (.data, .withdrawn), (.namedData, .withdrawn): .refuse(.withdrawn)
        }
    }
}
