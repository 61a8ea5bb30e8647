import FHIR

/// The suffix of a parameter's name after a colon (<https://hl7.org/fhir/R4/search.html#modifiers>).
///
/// `:iterate` is not a modifier, but a part of `_include`.
package enum SearchModifier: Sendable, Hashable {
    case missing
    /// Of strings: compares the whole text with case and accents.
    case exact
    /// Of strings: finds the text at any position.
    case contains
    /// Of tokens: compares the display text.
    case text
    case not
    case `in`
    case notIn
    case above
    case below
    case ofType
    /// Of references: compares the identifier of the reference.
    case identifier
    /// Of references: the type of the target.
    case type(String)

    /// Reads a modifier; nil where R4 does not have it.
    init?(_ text: String) {
        switch text {
        case "missing": self = .missing
        case "exact": self = .exact
        case "contains": self = .contains
        case "text": self = .text
        case "not": self = .not
        case "in": self = .in
        case "not-in": self = .notIn
        case "above": self = .above
        case "below": self = .below
        case "of-type": self = .ofType
        case "identifier": self = .identifier
        default:
            guard let type = TypeModel.r4.type(text), TypeModel.r4.kind(of: type) == .resource,
                !TypeModel.r4.isAbstract(type)
            else { return nil }
            self = .type(text)
        }
    }

    /// Whether R4 has the modifier for parameters of a kind.
    func applies(to kind: SearchParamType) -> Bool {
        switch self {
        case .missing: kind != .composite && kind != .special
        case .exact, .contains: kind == .string
        case .text, .not, .in, .notIn, .ofType: kind == .token
        case .above, .below: kind == .token || kind == .uri || kind == .reference
        case .identifier, .type: kind == .reference
        }
    }

    /// Whether it excludes values of the parameter.
    package var isNegation: Bool { self == .not || self == .notIn }
}
