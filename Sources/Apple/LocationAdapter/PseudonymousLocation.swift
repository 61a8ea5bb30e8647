import FHIR
import InformedConsent

/// The part of a person's location that may leave the phone: the country, the state and, in the United States, the area
/// of the ZIP code, which is its first three digits.
///
/// An area with 20,000 people or fewer is `000`. Elsewhere there is no area, because a postal code can identify a
/// street. The rules are those of ``InformedConsent/Pseudonymization``, which the server applies again.
public struct PseudonymousLocation: Sendable, Hashable {
    /// `US` for the United States; any other country as the system names it, usually its code of ISO 3166.
    public let country: String?
    /// The code or name of the state, province or region.
    public let state: String?
    /// Three digits of a ZIP code, `000` for a small area; nil outside of the United States.
    public let area: String?

    /// Reduces an address; nil if nothing of it may leave the phone.
    ///
    /// - Parameters:
    ///   - address: country, state and postal code; the other facts are ignored.
    ///   - rules: the rules of the study.
    public init?(_ address: PersonFacts, by rules: Pseudonymization = Pseudonymization()) {
        let facts = PersonFacts(postalCode: address.postalCode, state: address.state, country: address.country)
        guard let reduced = rules.patient(id: "", facts: facts, today: .now()).address.first else { return nil }
        country = reduced.country
        state = reduced.state
        area = reduced.postalCode
    }

    /// Returns facts with this location instead of their address, for the answers of a consent.
    ///
    /// ```swift
    /// answers.person = location.replacing(in: answers.person)
    /// ```
    public func replacing(in facts: PersonFacts) -> PersonFacts {
        var facts = facts
        (facts.country, facts.state, facts.postalCode) = (country, state, area)
        return facts
    }
}
