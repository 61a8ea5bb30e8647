import FHIR

/// The things that a study may have to keep of a participant who is deleted (`keepOnDelete` in `study.json`).
///
/// The rules for clinical trials want proof that a participant consented, and of who saw their data, for years after the
/// trial (<https://eur-lex.europa.eu/eli/reg/2014/536/oj>, articles 57 and 58); nothing else can be kept.
public enum KeptOnDelete: String, Sendable, Hashable, CaseIterable, Codable {
    /// The signed contracts and the withdrawals, in all their versions.
    case consent
    /// The name by which the audit knows the participant, so that its rows still tell whom they are about.
    case audit

    /// The types of resources that stay.
    static func types(_ kept: Set<KeptOnDelete>) -> Set<String> {
        kept.contains(.consent) ? [Contract.resourceType, FHIR.Consent.resourceType] : []
    }
}
