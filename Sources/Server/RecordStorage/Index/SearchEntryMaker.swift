import Core
import FHIRSearch
import Foundation

/// Makes the entries of one parameter's values.
struct SearchEntryMaker {
    let type: String
    let parameter: String

    private func term(
        _ aspect: SearchTerm.Aspect = .plain, system: String? = nil, code: String? = nil, text: String? = nil
    ) -> SearchTerm {
        SearchTerm(type: type, parameter: parameter, aspect, system: system, code: code, text: text)
    }

    /// Returns the entries of a value; none for a composite, whose components have entries of their own
    /// (``parts(of:_:)``).
    func entries(of value: SearchValue) -> [SearchEntry] {
        switch value {
        case .token(let token): return entries(of: token)
        case .string(let string): return [.text(term(), folded: string.folded, exact: string.exact)]
        case .date(let period): return [.time(term(), period)]
        case .number(let number): return [.number(term(), SearchBounds(number))]
        case .quantity(let quantity): return numbers(of: quantity).map { .number($0, $1) }
        case .reference(let reference): return terms(of: reference).map { .term($0) }
        case .uri(let uri): return [.term(term(code: uri))]
        case .composite: return []
        }
    }

    /// Returns the entries of a component's value in the composite value with a number. Texts and dates are never such
    /// components (``SearchLayout/Way``; a test checks it).
    func parts(of value: SearchValue, _ part: Int) -> [SearchEntry] {
        switch value {
        case .token(let token): return [.part(part, self.token(token), nil)]
        case .number(let number): return [.part(part, term(), SearchBounds(number))]
        case .quantity(let quantity): return numbers(of: quantity).map { .part(part, $0, $1) }
        case .reference(let reference): return terms(of: reference).map { .part(part, $0, nil) }
        case .uri(let uri): return [.part(part, term(code: uri), nil)]
        case .string, .date, .composite: return []
        }
    }

    private func token(_ token: SearchToken, withCode: Bool = true) -> SearchTerm {
        term(
            token.ignoresCase ? .lowercase : .plain, system: token.system, code: withCode ? token.code : nil,
            text: token.text)
    }

    private func entries(of token: SearchToken) -> [SearchEntry] {
        var entries: [SearchEntry] = []
        if SearchLayout.isOfItsOwn(parameter), let code = token.code {
            entries.append(.key(self.token(token, withCode: false), Data(SearchIndex.key(of: code))))
        } else {
            entries.append(.term(self.token(token)))
        }
        guard let code = token.code else { return entries }
        for type in token.types {
            entries.append(
                .key(term(.ofType, system: type.system, code: type.code), Data(SearchIndex.key(of: code))))
        }
        return entries
    }

    private func numbers(of quantity: SearchQuantity) -> [(SearchTerm, SearchBounds)] {
        let own = term(system: quantity.system, code: quantity.code, text: quantity.unit)
        var numbers = [(own, SearchBounds(quantity.number))]
        // A ratio of base units is found through its own unit (``SearchUnits``).
        if let canonical = quantity.canonical, SearchUnits.ratio(system: quantity.system, code: quantity.code) == nil {
            numbers.append((term(.canonical, code: canonical.unit), SearchBounds(canonical.number)))
        }
        return numbers
    }

    private func terms(of reference: SearchReference) -> [SearchTerm] {
        var terms: [SearchTerm] = []
        if let id = reference.id {
            if let base = reference.base {
                terms.append(term(.remote, system: base, code: (reference.type ?? "") + "/" + id))
            } else {
                terms.append(term(system: reference.type, code: id))
            }
        }
        if let url = reference.url { terms.append(term(.url, system: reference.version, code: url)) }
        if let identifier = reference.identifier {
            terms.append(
                term(.identifier, system: identifier.system, code: identifier.code, text: identifier.text))
        }
        return terms
    }
}
