import Core
import FHIR
import Foundation

/// Reads the values of one parameter, with their escapes (<https://hl7.org/fhir/R4/search.html#ptypes>).
struct SearchComparandReader {
    let parameter: SearchParameterTable.Parameter
    let modifier: SearchModifier?
    let context: SearchCondition.Context

    private var code: String { parameter.code }

    func read(_ text: String) throws(SearchConditionError) -> SearchComparand {
        if modifier == .missing {
            guard let truth = Bool(text) else { throw .invalid(code + ":missing", "true or false") }
            return .missing(truth)
        }
        return try read(text, as: parameter.kind)
    }

    private func read(_ text: String, as kind: SearchParamType) throws(SearchConditionError) -> SearchComparand {
        switch kind {
        case .token: return try token(text)
        case .string: return try string(text)
        case .date: return try date(text)
        case .number: return try number(text)
        case .quantity: return try quantity(text)
        case .reference: return try reference(text)
        case .uri: return .uri(SearchIndex.indexed(SearchText.unescaped(text)))
        case .composite: return try composite(text)
        default: throw .unknownModifier(code)
        }
    }

    // MARK: Tokens and strings

    private func token(_ text: String) throws(SearchConditionError) -> SearchComparand {
        switch modifier {
        case .text: return .tokenText(try folded(text))
        case .in, .notIn: return .valueSet(SearchText.unescaped(text))
        case .ofType:
            let parts = SearchText.split(text, at: "|").map(SearchText.unescaped)
            guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
                throw .invalid(code + ":of-type", "a system, a code and a value with | between them")
            }
            return .typed(
                SearchToken.Coding(system: SearchIndex.indexed(parts[0]), code: SearchIndex.indexed(parts[1])),
                value: SearchIndex.indexed(parts[2]), lowercased: SearchIndex.indexed(TokenCase.folded(parts[2])))
        default: return .token(try plainToken(text))
        }
    }

    private func plainToken(_ text: String) throws(SearchConditionError) -> SearchComparand.Token {
        let parts = SearchText.split(text, at: "|").map(SearchText.unescaped)
        // A canonical URL as a code may contain a |, which existing searches do not escape.
        let code = parts.count > 1 ? parts.dropFirst().joined(separator: "|") : parts[0]
        let system: SearchComparand.System =
            parts.count == 1 ? .any : parts[0].isEmpty ? .none : .named(SearchIndex.indexed(parts[0]))
        guard !code.isEmpty || system != .none else {
            throw .invalid(self.code, "a code, system|code, |code or system|")
        }
        return SearchComparand.Token(
            system: system, code: code.isEmpty ? nil : SearchIndex.indexed(code),
            lowercased: code.isEmpty ? nil : SearchIndex.indexed(TokenCase.folded(code)))
    }

    private func string(_ text: String) throws(SearchConditionError) -> SearchComparand {
        switch modifier {
        case .exact: .exact(SearchIndex.indexed(SearchText.unescaped(text)))
        case .contains: .part(try folded(text))
        default: .begin(try folded(text))
        }
    }

    /// Folds a text and rejects an empty result, because every text begins with the empty one.
    private func folded(_ text: String) throws(SearchConditionError) -> String {
        guard let folded = SearchString(SearchText.unescaped(text))?.folded, !folded.isEmpty else {
            throw .invalid(code, "a text with more than spaces and accents")
        }
        return folded
    }

    // MARK: Ordered values

    private func date(_ text: String) throws(SearchConditionError) -> SearchComparand {
        let (prefix, rest) = SearchPrefix.split(text)
        guard let (start, end) = SearchText.range(rest) else {
            throw .invalid(code, "a date or time such as ge2026-01-31")
        }
        let period = SearchPeriod(low: Milliseconds.of(start.start()), high: Milliseconds.of(end))
        guard prefix == .ap else { return .date(prefix, period) }
        // The specification suggests 10 % of the distance to now.
        let slack = abs(Milliseconds.of(context.now) - period.low) / 10
        return .date(.ap, SearchPeriod(low: period.low - slack, high: period.high + slack))
    }

    private func number(_ text: String) throws(SearchConditionError) -> SearchComparand {
        let (prefix, rest) = SearchPrefix.split(text)
        guard let number = SearchNumber(asked: rest, prefix) else {
            throw .invalid(code, "a number such as 5.4 or ge5.4e2")
        }
        return .number(prefix, number)
    }

    private func quantity(_ text: String) throws(SearchConditionError) -> SearchComparand {
        let parts = SearchText.split(text, at: "|").map(SearchText.unescaped)
        let (prefix, rest) = SearchPrefix.split(parts[0])
        guard parts.count == 1 || parts.count == 3, let number = SearchNumber(asked: rest, prefix) else {
            throw .invalid(code, "a number, or a number with its unit such as 5.4|http://unitsofmeasure.org|mg")
        }
        guard parts.count == 3, !parts[1].isEmpty || !parts[2].isEmpty else {
            return .quantity(prefix, SearchComparand.Quantity(number: number, unit: .any, canonical: nil))
        }
        let (system, unit) = (parts[1], parts[2])
        guard !unit.isEmpty else { throw .invalid(code, "with a unit after its system, or without both") }
        if system.isEmpty {
            return .quantity(
                prefix,
                SearchComparand.Quantity(number: number, unit: .written(SearchIndex.indexed(unit)), canonical: nil))
        }
        let canonical = SearchQuantity(number, system: system, code: unit, unit: nil).canonical
        return .quantity(
            prefix,
            SearchComparand.Quantity(
                number: number, unit: .coded(system: SearchIndex.indexed(system), code: SearchIndex.indexed(unit)),
                canonical: canonical))
    }

    // MARK: References

    private func reference(_ text: String) throws(SearchConditionError) -> SearchComparand {
        if modifier == .identifier { return .identifier(try plainToken(text)) }
        let plain = SearchText.unescaped(text)
        var wantedType: String?
        if case .type(let name) = modifier { wantedType = name }
        func made(
            type: String? = nil, id: String? = nil, base: String? = nil, url: String? = nil, version: String? = nil
        ) -> SearchComparand {
            .reference(
                SearchComparand.Reference(
                    type: type ?? wantedType, id: id, base: base, url: url, version: version,
                    ownBases: context.ownBases.map(SearchIndex.indexed)))
        }
        if let literal = LiteralReference(plain) {
            guard wantedType == nil || wantedType == literal.type else {
                throw .invalid(code, "a reference to the type of the modifier")
            }
            let base = literal.isLocal(to: context.ownBases) ? nil : literal.base.map(SearchIndex.indexed)
            // The URL of a definition may have the same end.
            let canonical = CanonicalURL(plain)
            return made(
                type: literal.type, id: literal.id, base: base,
                url: literal.base == nil ? nil : SearchIndex.indexed(canonical.url))
        }
        if Resource.isID(plain) { return made(id: plain) }
        guard plain.utf8.contains(UInt8(ascii: ":")) || plain.utf8.contains(UInt8(ascii: "/")) else {
            throw .invalid(code, "an id, Type/id or a URL")
        }
        let canonical = CanonicalURL(plain)
        return made(
            url: SearchIndex.indexed(canonical.url), version: canonical.version.map { SearchIndex.indexed($0) })
    }

    // MARK: Composites

    private func composite(_ text: String) throws(SearchConditionError) -> SearchComparand {
        let parts = SearchText.split(text, at: "$")
        let components = parameter.components.compactMap { SearchParameterTable.r4.parameter(id: $0.id) }
        guard parts.count == components.count, parts.allSatisfy({ !$0.isEmpty }) else {
            throw .invalid(code, "\(components.count) values with $ between them")
        }
        var values: [SearchComparand] = []
        for (part, component) in zip(parts, components) {
            // An error message names the parameter of the search.
            values.append(try read(part, as: component.kind))
        }
        return .composite(values)
    }
}

extension SearchNumber {
    /// Creates a number from a search. With `ap` its range extends by a tenth of the number to each side, or by its
    /// precision where that is more.
    package init?(asked text: String, _ prefix: SearchPrefix) {
        // The plus sign of an exponent is a space where it was not percent-encoded (`5.4e+3`).
        let text = text.replacingOccurrences(of: "e ", with: "e+").replacingOccurrences(of: "E ", with: "E+")
        // R4 uses the grammar of JSON numbers, without a sign before a positive number.
        guard JSONNumber(text: text) != nil, let number = SearchNumber(decimal: text) else { return nil }
        guard prefix == .ap, let value = number.low, let implicitLow = number.implicitLow,
            let implicitHigh = number.implicitHigh
        else {
            self = number
            return
        }
        let tenth = ExactNumber(numerator: value.numerator, exponent: value.exponent - 1)
        self.init(
            low: value, high: value, implicitLow: min(implicitLow, value - tenth),
            implicitHigh: max(implicitHigh, value + tenth))
    }
}
