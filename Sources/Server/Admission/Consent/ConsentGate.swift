import Foundation

/// State of a participant when a resource reaches the gate.
package struct ConsentContext: Sendable, Hashable {
    /// State of a participant's consent.
    package enum State: String, Sendable, Hashable {
        /// No Contract was received.
        case none
        /// A Contract is in force.
        case consented
        /// The participant has withdrawn the consent.
        case withdrawn
    }

    package var state: State
    /// Kinds of health data that the Contract in force includes, among those that need to be included explicitly.
    package var included: Set<String>
    /// Whether the participant must sign again before data is admitted.
    package var needsRenewal: Bool
    /// Whether a possible withdrawal has not been understood yet.
    package var isSuspended: Bool
    /// Time until which data is held after a withdrawal; nil if it is refused immediately.
    package var graceEnds: Date?

    package init(
        state: State, included: Set<String> = [], needsRenewal: Bool = false, isSuspended: Bool = false,
        graceEnds: Date? = nil
    ) {
        self.state = state
        self.included = included
        self.needsRenewal = needsRenewal
        self.isSuspended = isSuspended
        self.graceEnds = graceEnds
    }
}

/// Decides about one opened submission. Pure: the consumer applies the decision in one transaction.
package struct ConsentGate: Sendable {
    /// Kind of an incoming resource, for the gate.
    package enum Subject: Sendable, Hashable {
        /// A Contract of this study, signed by the participant.
        case contract
        /// A Contract that is not valid for this study, with the reason.
        case foreignContract(Reason)
        /// A Consent that withdraws the Contract.
        case withdrawal
        /// Data that is only admitted while a Contract is in force.
        case data
        /// Health data that is only admitted while a Contract in force includes one of these kinds
        /// (``InformedConsent/ConsentVocabulary/includesHealthData``).
        case namedData(Set<String>)
        /// Deletion of data that the participant's device sent.
        case deletion

        /// Reason why a Contract is not valid; nil for a valid one and for other kinds.
        package var foreignReason: Reason? {
            if case .foreignContract(let reason) = self { reason } else { nil }
        }
    }

    package enum Decision: Sendable, Hashable {
        case admit
        case hold(until: Requirement)
        case refuse(Reason)
        case quarantine(Reason)
    }

    /// Condition that a held submission waits for.
    package enum Requirement: Sendable, Hashable {
        case contract
        /// The study has a newer consent that the participant must sign.
        case renewal
        /// A possible withdrawal has not been understood yet.
        case endOfSuspension
        /// End of the period in which a withdrawn participant may consent again. Data that arrived since is refused
        /// after it.
        case endOfGrace(Date)

        /// Stable code, reported to the device.
        package var code: String {
            switch self {
            case .contract: "consent-required"
            case .renewal: "consent-renewal-required"
            case .endOfSuspension: "consent-suspended"
            case .endOfGrace: "consent-withdrawn"
            }
        }

        /// Reason for staff, without health data.
        package var sentence: String {
            switch self {
            case .contract: "No contract of this participant was received."
            case .renewal:
                "The study's consent has a newer version that the participant must sign before more data is accepted."
            case .endOfSuspension:
                "The participant's device sent a Consent that may be a withdrawal and was not understood; see `participant`."
            case .endOfGrace: "The participant has withdrawn their consent, a short while ago."
            }
        }
    }

    /// Reason why a submission is not admitted; the raw value is reported to the device.
    package enum Reason: String, Sendable, Hashable {
        case withdrawn = "consent-withdrawn"
        case foreignContract = "contract-unknown"
        case retiredContract = "contract-retired"
        case contractWithoutTerms = "contract-without-terms"
        case notIncluded = "inclusion-not-in-consent"

        /// Reason for staff, without health data.
        package var sentence: String {
            switch self {
            case .withdrawn: "The participant has withdrawn their consent."
            case .foreignContract:
                "The contract matches no consent document of this study (consent/): compare its terms, url and version."
            case .retiredContract: "The contract has a version of the consent that can no longer be signed."
            case .contractWithoutTerms:
                "The contract of a C3-PRO app contains no terms; it is valid only if study.json has \"c3pro\": {\"contractsWithoutTerms\": true}."
            case .notIncluded:
                "The participant's consent does not include this data: routes, heartbeats, clinical records or notes."
            }
        }
    }

    package init() {}

    package func decide(_ subject: Subject, in context: ConsentContext) -> Decision {
        switch (subject, context.state) {
        case (.foreignContract(let reason), _): .quarantine(reason)
        case (.contract, _): .admit
        // A repeated withdrawal changes nothing, so it is admitted.
        case (.withdrawal, .consented), (.withdrawal, .withdrawn): .admit
        // A withdrawn participant may still delete their data.
        case (.deletion, .consented), (.deletion, .withdrawn): .admit
        case (.withdrawal, .none), (.data, .none), (.namedData, .none), (.deletion, .none): .hold(until: .contract)
        case (.data, _) where context.isSuspended, (.namedData, _) where context.isSuspended:
            .hold(until: .endOfSuspension)
        case (.data, .consented) where context.needsRenewal, (.namedData, .consented) where context.needsRenewal:
            .hold(until: .renewal)
        case (.data, .consented): .admit
        case (.namedData(let names), .consented):
            names.isDisjoint(with: context.included) ? .refuse(.notIncluded) : .admit
        case (.data, .withdrawn), (.namedData, .withdrawn):
            if let end = context.graceEnds { .hold(until: .endOfGrace(end)) } else { .refuse(.withdrawn) }
        }
    }
}
