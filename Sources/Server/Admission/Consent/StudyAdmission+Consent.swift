import Foundation
import InformedConsent
import Storage

extension StudyAdmission {
    /// Returns the consent state of a participant for the gate.
    package func consentContext(
        of participant: String, _ state: ConsentState, in published: PublishedStudy,
        transaction: any SQLTransaction
    ) throws -> ConsentContext {
        let suspension = try suspensions.suspension(of: participant, in: transaction)
        return context(of: state, in: published, isSuspended: suspension != nil)
    }

    /// Returns the consent of a participant before the first resource of a submission.
    package func consentProgress(
        of participant: String, _ state: ConsentState, in published: PublishedStudy,
        transaction: any SQLTransaction
    ) throws -> ConsentProgress {
        ConsentProgress(
            state, suspension: try suspensions.suspension(of: participant, in: transaction), admission: self,
            published: published)
    }

    func context(of state: ConsentState, in published: PublishedStudy, isSuspended: Bool) -> ConsentContext {
        ConsentContext(
            state: state.gateState, included: state.includedHealthData, needsRenewal: needsRenewal(state, published),
            isSuspended: isSuspended, graceEnds: graceEnd(of: state))
    }

    /// Whether a major change of the consent was published after the version that the participant signed.
    private func needsRenewal(_ state: ConsentState, _ published: PublishedStudy) -> Bool {
        guard case .consented(let contract) = state.status else { return false }
        return published.consents.change(since: contract) == .major
    }

    /// Returns the end of the grace period after a withdrawal; nil if there is none or it is over.
    private func graceEnd(of state: ConsentState) -> Date? {
        guard withdrawalGrace > 0, state.gateState == .withdrawn,
            let since = state.withdrawalArrival?.receivedAt ?? state.withdrawnAt
        else { return nil }
        let end = since.addingTimeInterval(withdrawalGrace)
        return end > clock() ? end : nil
    }
}
