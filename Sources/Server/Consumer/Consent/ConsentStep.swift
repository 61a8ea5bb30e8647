import InformedConsent

/// The effect of one resource on a participant's consent.
enum ConsentStep: Sendable, Hashable {
    case contract(SignedContract)
    /// A contract that does not count, and why.
    case foreignContract(ConsentGate.Reason)
    case withdrawal(ConsentWithdrawal)
    /// Nothing.
    case data
    /// Nothing either; it is health data that is taken where the consent names one of these.
    case namedData(Set<String>)

    var gateSubject: ConsentGate.Subject {
        switch self {
        case .contract: .contract
        case .foreignContract(let reason): .foreignContract(reason)
        case .withdrawal: .withdrawal
        case .data: .data
        case .namedData(let names): .namedData(names)
        }
    }

    /// Whether the register keeps something of it.
    var changesConsent: Bool {
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
