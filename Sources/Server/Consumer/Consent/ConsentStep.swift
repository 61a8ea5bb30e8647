import InformedConsent

/// What one resource does to a participant's consent.
enum ConsentStep: Sendable, Hashable {
    case contract(SignedContract)
    /// A contract that is none of this study's.
    case foreignContract
    case withdrawal(ConsentWithdrawal)
    /// Nothing.
    case data

    var gateSubject: ConsentGate.Subject {
        switch self {
        case .contract: .contract
        case .foreignContract: .foreignContract
        case .withdrawal: .withdrawal
        case .data: .data
        }
    }

    func applied(to state: ConsentState) -> ConsentState {
        switch self {
        case .contract(let contract): state.applying(contract)
        case .withdrawal(let withdrawal): state.applying(withdrawal)
        case .foreignContract, .data: state
        }
    }
}
