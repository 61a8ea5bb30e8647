import FHIR

/// What stands behind the colon of a parameter's name (<https://hl7.org/fhir/R4/search.html#modifiers>).
///
/// `:iterate` is none of them: it is part of `_include`.
enum SearchModifier: Sendable, Hashable {
    case missing
    /// Of strings: case and accents count, and the whole text.
    case exact
    /// Of strings: the text anywhere.
    case contains
    /// Of tokens: the text that people read.
    case text
    case not
    case `in`
    case notIn
    case above
    case below
    case ofType
    /// Of references: by the identifier of the reference.
    case identifier
    /// Of references: the type of what they point to.
    case type(String)

    /// nil for a modifier that R4 does not have.
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

    /// Whether R4 has the modifier for parameters of the kind.
    func applies(to kind: SearchParamType) -> Bool {
        switch self {
        case .missing: kind != .composite && kind != .special
        case .exact, .contains: kind == .string
        case .text, .not, .in, .notIn, .ofType: kind == .token
        case .above, .below: kind == .token || kind == .uri || kind == .reference
        case .identifier, .type: kind == .reference
        }
    }

    /// Whether it asks what no value of the parameter may be.
    var isNegation: Bool { self == .not || self == .notIn }
}
