import FHIR
import InformedConsent

extension ConsentStep {
    /// Creates the effect of an incoming resource on the consent of its participant.
    ///
    /// - Throws: ``SubmissionProblem`` `consent-unclear`, ``InformedConsent/ConsentError``.
    package init(_ incoming: IncomingResource, arrival: ConsentArrival) throws {
        switch incoming.kind {
        case .data: self = incoming.inclusions.isEmpty ? .data : .namedData(incoming.inclusions)
        case .consent:
            guard ConsentSignal.mayBeWithdrawal(incoming.resource) else {
                self = .data
                return
            }
            do {
                self = .withdrawal(
                    try ConsentWithdrawal(
                        FHIR.Consent(incoming.resource.object), receivedAt: arrival.receivedAt, number: arrival.number))
            } catch {
                throw SubmissionProblem(
                    "consent-unclear", "The Consent may be a withdrawal, but it cannot be understood.")
            }
        case .contract:
            var contract = Contract(incoming.resource.object)
            contract.id = incoming.id
            let signed = try SignedContractReader.read(
                contract, receivedAt: arrival.receivedAt, number: arrival.number)
            guard signed.subject == incoming.subject else { throw ConsentError.subjectUnclear }
            switch incoming.contract {
            case .text(let template): self = .contract(signed.of(template))
            case .withoutText: self = .contract(signed.withoutTerms)
            case .foreign(let reason): self = .foreignContract(reason)
            case nil: self = .foreignContract(.foreignContract)
            }
        }
    }
}
