import FHIR
import InformedConsent
import Records

/// Checks whether a Contract that a device sent says what the study asks people to sign.
struct ContractValidation {
    /// What a Contract says.
    enum Verdict: Sendable, Hashable {
        /// The text of a published template that may be signed.
        case text(ConsentTemplate)
        /// No text, as the Contracts of C3-PRO's older apps, where the study takes them.
        case withoutText
        /// Nothing that counts.
        case foreign(ConsentGate.Reason)
    }

    let c3pro: C3PROAcceptance

    /// - Parameter original: the Contract as it came, where it came in DSTU2 or STU3: as one of C3-PRO's apps.
    func verdict(
        on contract: Contract, original: OriginalContent?, in consents: PublishedConsents
    ) -> Verdict {
        let match: PublishedConsents.Match
        if let original {
            guard c3pro.isAccepted, let resource = try? Resource(original.bytes) else {
                return .foreign(.foreignContract)
            }
            let came = Contract(resource.object)
            if came.term.isEmpty {
                return c3pro.acceptsContractsWithoutTerms ? .withoutText : .foreign(.contractWithoutTerms)
            }
            match = consents.matchOfC3PRO(came)
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
