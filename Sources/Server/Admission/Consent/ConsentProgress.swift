import InformedConsent

/// Consent of a participant while the resources of one submission pass the gate in order: an earlier resource may change
/// the consent for the later ones.
package struct ConsentProgress: Sendable {
    /// State after the resources so far.
    package private(set) var state: ConsentState
    private var context: ConsentContext
    private let admission: StudyAdmission
    private let published: PublishedStudy
    private let suspension: ConsentArrival?

    init(
        _ state: ConsentState, suspension: ConsentArrival?, admission: StudyAdmission, published: PublishedStudy
    ) {
        self.state = state
        self.suspension = suspension
        self.admission = admission
        self.published = published
        context = admission.context(of: state, in: published, isSuspended: suspension != nil)
    }

    /// Whether a resource has resolved the suspension of the participant.
    package var endsSuspension: Bool { suspension != nil && !context.isSuspended }

    /// Decides about the next resource, and applies its effect if it is admitted.
    package mutating func admit(_ step: ConsentStep, arrival: ConsentArrival) -> ConsentGate.Decision {
        let decision = admission.gate.decide(step.gateSubject, in: context)
        guard decision == .admit, step.changesConsent else { return decision }
        state = step.applied(to: state)
        let isSuspended = context.isSuspended && !step.endsSuspension(since: suspension, at: arrival)
        context = admission.context(of: state, in: published, isSuspended: isSuspended)
        return decision
    }
}

extension ConsentStep {
    /// Whether it resolves a suspension: a withdrawal does, and a Contract that arrived later.
    fileprivate func endsSuspension(since suspension: ConsentArrival?, at arrival: ConsentArrival) -> Bool {
        guard let suspension else { return false }
        switch self {
        case .withdrawal: return true
        case .contract: return arrival > suspension
        case .foreignContract, .data, .namedData: return false
        }
    }
}
