import FHIR
import InformedConsent
import RecordStorage

/// Checks whether a Contract of a device matches a consent document of the study.
struct ContractValidation {
    /// Result for a Contract.
    enum Verdict: Sendable, Hashable {
        /// It has the text of a published template that may be signed.
        case text(ConsentTemplate)
        /// It has no text, as the Contracts of C3-PRO's older apps, and the study accepts this.
        case withoutText
        /// It is not valid for this study.
        case foreign(ConsentGate.Reason)
    }

    let c3pro: C3PROAcceptance

    /// - Parameter original: the Contract as received, if it was in DSTU2 or STU3, as from C3-PRO's apps.
    func verdict(
        on contract: Contract, original: OriginalContent?, in consents: PublishedConsents
    ) -> Verdict {
        let match: PublishedConsents.Match
        if let original {
            guard c3pro.isAccepted, let resource = try? Resource(original.bytes) else {
                return .foreign(.foreignContract)
            }
            let received = Contract(resource.object)
            if received.term.isEmpty {
                return c3pro.acceptsContractsWithoutTerms ? .withoutText : .foreign(.contractWithoutTerms)
            }
            match = consents.matchOfC3PRO(received)
        } else {
            match = consents.match(contract)
        }
        return switch match {
        case .template(let template): .text(template)
        case .retired: .foreign(.retiredContract)
        case .none: .foreign(.foreignContract)
        }
    }
}
