import InformedConsent

/// The effect of one resource on a participant's consent.
package enum ConsentStep: Sendable, Hashable {
    case contract(SignedContract)
    /// A Contract that is not valid for this study, with the reason.
    case foreignContract(ConsentGate.Reason)
    case withdrawal(ConsentWithdrawal)
    /// No effect.
    case data
    /// No effect; health data that is admitted if the consent includes one of these kinds.
    case namedData(Set<String>)

    package var gateSubject: ConsentGate.Subject {
        switch self {
        case .contract: .contract
        case .foreignContract(let reason): .foreignContract(reason)
        case .withdrawal: .withdrawal
        case .data: .data
        case .namedData(let names): .namedData(names)
        }
    }

    /// Whether the register stores anything of it.
    package var changesConsent: Bool {
        switch self {
        case .contract, .foreignContract, .withdrawal: true
        case .data, .namedData: false
        }
    }

    func applied(to state: ConsentState) -> ConsentState {
        switch self {
        case .contract(let contract): state.applying(contract)
        case .withdrawal(let withdrawal): state.applying(withdrawal)
        case .foreignContract, .data, .namedData: state
        }
    }
}
