import FHIR

/// Data that a study may have to retain of a deleted participant (`keepOnDelete` in `study.json`).
///
/// The rules for clinical trials require proof of consent, and of access to the data, for years after the trial
/// (<https://eur-lex.europa.eu/eli/reg/2014/536/oj>, articles 57 and 58); nothing else can be retained.
package enum KeptOnDelete: String, Sendable, Hashable, CaseIterable, Codable {
    /// Signed Contracts and withdrawals, in all versions.
    case consent
    /// Pseudonym of the participant in the audit, so that its rows can still be resolved.
    case audit

    /// Returns the types of resources that are retained.
    static func types(_ kept: Set<KeptOnDelete>) -> Set<String> {
        kept.contains(.consent) ? [Contract.resourceType, FHIR.Consent.resourceType] : []
    }
}
