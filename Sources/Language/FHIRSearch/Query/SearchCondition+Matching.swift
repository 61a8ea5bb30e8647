import Core
import FHIR

extension SearchCondition {
    /// Decides the conditions that require a terminology: whether a token is in a value set, or above or below a code.
    package typealias TerminologyAnswer = (SearchToken, SearchModifier, SearchComparand) -> Bool

    /// Whether a resource of the searched type meets the condition. No token is in a value set, and `:above` and
    /// `:below` match only the code itself.
    public func matches(_ resource: Resource) -> Bool {
        SearchValues(of: resource).map { matches($0) } ?? false
    }

    /// Whether the values of a resource meet the condition.
    ///
    /// - Parameter terminology: without it no token is in a value set, and `:above` and `:below` match only the code
    ///   itself.
    package func matches(_ values: SearchValues, terminology: TerminologyAnswer? = nil) -> Bool {
        guard values.tree.type == type else { return false }
        if modifier == .missing {
            let isMissing = !values.has(parameter.code)
            return alternatives.contains(.missing(isMissing))
        }
        let found = values[parameter.code].contains { matches($0, terminology: terminology) }
        // A negation applies to all values, and holds where there is none.
        return modifier?.isNegation == true ? !found : found
    }

    /// Whether one value matches one of the alternatives, also where the condition is a negation.
    package func matches(_ value: SearchValue, terminology: TerminologyAnswer? = nil) -> Bool {
        alternatives.contains { matches(value, $0, terminology: terminology) }
    }

    private func matches(
        _ value: SearchValue, _ comparand: SearchComparand, terminology: TerminologyAnswer?
    ) -> Bool {
        switch (value, comparand) {
        case (.token(let token), .valueSet):
            return terminology?(token, modifier ?? .in, comparand) ?? false
        case (.token(let token), .codes(let asked)): return asked.matches(token)
        case (.token(let token), .token(let asked)):
            if asked.matches(token) { return true }
            guard let modifier, modifier == .above || modifier == .below else { return false }
            if modifier == .below, asked.isBaseOfMediaType(token) { return true }
            return terminology?(token, modifier, comparand) ?? false
        case (.token(let token), .tokenText(let text)): return token.text?.hasBytes(from: text) ?? false
        case (.token(let token), .typed(let type, let value, let lowercased)):
            return token.code.isSame(as: token.ignoresCase ? lowercased : value)
                && token.types.contains { $0.system.isSame(as: type.system) && $0.code.isSame(as: type.code) }
        case (.string(let string), .begin(let text)): return string.folded.hasBytes(from: text)
        case (.string(let string), .part(let text)): return string.folded.utf8.firstRange(of: text.utf8) != nil
        case (.string(let string), .exact(let text)): return string.exact.isSame(as: text)
        case (.date(let period), .date(let prefix, let asked)): return period.matches(prefix, asked)
        case (.number(let number), .number(let prefix, let asked)): return number.matches(prefix, asked)
        case (.quantity(let quantity), .quantity(let prefix, let asked)): return asked.matches(prefix, quantity)
        case (.reference(let reference), .reference(let asked)): return asked.matches(reference, modifier)
        case (.reference(let reference), .identifier(let asked)):
            return reference.identifier.map { asked.matches($0) } ?? false
        case (.uri(let uri), .uri(let asked)): return Self.uri(uri, matches: asked, modifier: modifier)
        case (.composite(let values), .composite(let asked)):
            return values.count == asked.count
                && zip(values, asked).allSatisfy { matches($0, $1, terminology: terminology) }
        default: return false
        }
    }

    /// <https://hl7.org/fhir/R4/search.html#uri>: `:above` and `:below` apply to paths, and URNs have none.
    private static func uri(_ uri: String, matches asked: String, modifier: SearchModifier?) -> Bool {
        if uri.isSame(as: asked) { return true }
        switch modifier {
        case .below: return !asked.hasPrefix("urn:") && uri.hasBytes(from: asked)
        case .above:
            guard !uri.hasPrefix("urn:"), asked.hasBytes(from: uri) else { return false }
            let slash = UInt8(ascii: "/")
            return uri.utf8.last == slash || asked.utf8.dropFirst(uri.utf8.count).first == slash
        default: return false
        }
    }
}

// MARK: Ordered values

extension SearchPeriod {
    /// <https://hl7.org/fhir/R4/search.html#prefix>: both are ranges.
    package func matches(_ prefix: SearchPrefix, _ asked: SearchPeriod) -> Bool {
        switch prefix {
        case .eq: low >= asked.low && high <= asked.high
        case .ne: low < asked.low || high > asked.high
        case .gt: high > asked.high
        case .lt: low < asked.low
        case .ge: high > asked.high || low >= asked.low
        case .le: low < asked.low || high <= asked.high
        case .sa: low >= asked.high
        case .eb: high <= asked.low
        case .ap: low < asked.high && high > asked.low
        }
    }
}

extension SearchNumber {
    /// <https://hl7.org/fhir/R4/search.html#number>: `eq` and `ne` compare the stored number with the implicit range of
    /// the searched number, `ap` compares two ranges, all other prefixes compare the numbers themselves.
    package func matches(_ prefix: SearchPrefix, _ asked: SearchNumber) -> Bool {
        guard let value = asked.low, let last = asked.high, let begin = asked.implicitLow, let end = asked.implicitHigh
        else { return false }
        switch prefix {
        case .eq: return isInside(begin, end)
        case .ne: return !isInside(begin, end)
        case .gt: return high.map { $0 > last } ?? true
        case .lt: return low.map { $0 < value } ?? true
        case .ge: return high.map { $0 >= last } ?? true
        case .le: return low.map { $0 <= value } ?? true
        case .sa: return low.map { $0 > last } ?? false
        case .eb: return high.map { $0 < value } ?? false
        case .ap: return (implicitLow.map { $0 < end } ?? true) && (implicitHigh.map { $0 > begin } ?? true)
        }
    }

    /// Whether the stored number, or the whole stored Range, is in a range without its upper bound: 100.00 searches
    /// `[99.995 ... 100.005)`, whatever the number of digits of the stored number.
    private func isInside(_ begin: ExactNumber, _ end: ExactNumber) -> Bool {
        guard let low, let high else { return false }
        return low >= begin && high < end
    }
}

extension SearchComparand.Quantity {
    /// <https://hl7.org/fhir/R4/search.html#quantity>
    package func matches(_ prefix: SearchPrefix, _ quantity: SearchQuantity) -> Bool {
        switch unit {
        case .any: return quantity.number.matches(prefix, number)
        case .written(let text):
            guard quantity.code.isSame(as: text) || quantity.unit.isSame(as: text) else { return false }
            return quantity.number.matches(prefix, number)
        case .coded(let system, let code):
            if let canonical, let theirs = quantity.canonical {
                return theirs.unit == canonical.unit && theirs.number.matches(prefix, canonical.number)
            }
            return quantity.system.isSame(as: system) && quantity.code.isSame(as: code)
                && quantity.number.matches(prefix, number)
        }
    }
}

// MARK: Tokens and references

extension SearchComparand.Token {
    /// <https://hl7.org/fhir/R4/search.html#token>
    package func matches(_ token: SearchToken) -> Bool {
        switch system {
        case .any: break
        case .none: if token.system != nil { return false }
        case .named(let system): if !token.system.isSame(as: system) { return false }
        }
        guard let code else { return true }
        return token.code.isSame(as: token.ignoresCase ? lowercased : code)
    }

    /// Whether a token is the searched media type with parameters: `text/xml; charset=UTF-8`
    /// (<https://hl7.org/fhir/R4/search.html#mimetype>).
    func isBaseOfMediaType(_ token: SearchToken) -> Bool {
        guard let code = token.ignoresCase ? lowercased : code, code.utf8.contains(UInt8(ascii: "/")),
            let whole = token.code
        else { return false }
        return whole.hasBytes(from: code + ";")
    }
}

extension SearchComparand.Codes {
    package func matches(_ token: SearchToken) -> Bool {
        guard let code = token.code, token.system.isSame(as: system) else { return false }
        return (token.ignoresCase ? lowercased : codes).contains { $0.isSame(as: code) }
    }
}

extension SearchComparand.Reference {
    /// <https://hl7.org/fhir/R4/search.html#reference>
    package func matches(_ reference: SearchReference, _ modifier: SearchModifier?) -> Bool {
        // 1. A resource by its type and id, here or on another server.
        if let id, let theirs = reference.id {
            guard id == theirs, type == nil || type == reference.type else { return false }
            guard base == nil else { return base.isSame(as: reference.base) }
            return reference.base == nil || ownBases.contains { $0.isSame(as: reference.base) }
        }
        // 2. A URN, or a definition with the searched version.
        guard let url, url.isSame(as: reference.url) else { return false }
        guard let version else { return true }
        guard modifier == .below else { return version.isSame(as: reference.version) }
        return reference.version?.hasBytes(from: version) ?? false
    }
}

// MARK: Texts

/// Texts are compared by bytes, as in the store: texts that only look the same are different.
extension String {
    fileprivate func isSame(as other: String?) -> Bool { other.map { utf8.elementsEqual($0.utf8) } ?? false }

    /// Whether the text begins with the bytes of another one.
    fileprivate func hasBytes(from other: String) -> Bool { utf8.starts(with: other.utf8) }
}

extension String? {
    fileprivate func isSame(as other: String?) -> Bool {
        map { $0.isSame(as: other) } ?? (other == nil)
    }
}
