import Core
import FHIR
import FHIRValidation

/// Reads the values of a parameter's kind from one element (<https://hl7.org/fhir/R4/search.html#ptypes>).
package enum SearchValueReader {
    /// Appends the values of an element.
    ///
    /// - Parameter type: the element's type; an unknown type has no values.
    package static func append(
        _ kind: SearchParamType, _ value: JSON, type: TypeModel.TypeID, declaration: Int32 = -1,
        to output: inout [SearchValue]
    ) {
        guard type.isKnown else { return }
        let form = SearchValueType.of(type)
        // An extension is searched by its value.
        if form == .extension {
            guard case .object(let object) = value, let inner = object.choice("value"),
                let inside = TypeModel.r4.memberIndex("value" + inner.type, of: type)
            else { return }
            return append(kind, inner.value, type: inside.type, declaration: inside.element, to: &output)
        }
        switch kind {
        case .token: appendTokens(value, as: form, declaration: declaration, to: &output)
        case .string: appendStrings(value, as: form, declaration: declaration, to: &output)
        case .date: if let period = period(value, form) { output.append(.date(period)) }
        case .number: if let number = number(value, form) { output.append(.number(number)) }
        case .quantity: if let quantity = quantity(value, form) { output.append(.quantity(quantity)) }
        case .reference: if let reference = reference(value, form) { output.append(.reference(reference)) }
        case .uri:
            guard let text = value.string, form.isPrimitiveText else { return }
            appendURI(text, to: &output)
            // A canonical is indexed with and without its version.
            if form == .canonical, case let canonical = CanonicalURL(text), canonical.version != nil {
                appendURI(canonical.url, to: &output)
            }
        default: break
        }
    }

    private static func appendURI(_ text: String, to output: inout [SearchValue]) {
        if let indexed = SearchToken.indexed(text) { output.append(.uri(indexed)) }
    }

    // MARK: Times

    private static func period(_ value: JSON, _ form: SearchValueType) -> SearchPeriod? {
        switch (form, value) {
        case (.date, .string(let text)): return DateTime(text).map(SearchPeriod.init)
        case (.period, .object(let object)): return period(object)
        case (.timing, .object(let object)):
            // Only the outer limits are used, whatever is scheduled between them.
            var limits = object["repeat"]?["boundsPeriod"]?.object.flatMap(period)
            for event in object["event"]?.array ?? [] {
                guard let date = event.string.flatMap({ DateTime($0) }) else { continue }
                let instant = SearchPeriod(date)
                limits = limits.map { $0.union(instant) } ?? instant
            }
            return limits
        default: return nil
        }
    }

    private static func period(_ object: JSONObject) -> SearchPeriod? {
        SearchPeriod(start: object[value: "start"], end: object[value: "end"])
    }

    // MARK: Numbers

    private static func number(_ value: JSON, _ form: SearchValueType) -> SearchNumber? {
        switch (form, value) {
        case (.integer, .number(let number)): number.integer.map { SearchNumber($0) }
        case (.decimal, .number(let number)): SearchNumber(decimal: number.text)
        case (.range, .object(let object)): range(object)
        case (.quantity, .object(let object)): number(object)
        default: nil
        }
    }

    private static func range(_ object: JSONObject) -> SearchNumber? {
        let ends = ["low", "high"].map { name in
            object[name]?["value"]?.number.flatMap { SearchNumber(decimal: $0.text) }
        }
        guard ends[0] != nil || ends[1] != nil else { return nil }
        return SearchNumber(low: ends[0]?.low, high: ends[1]?.high)
    }

    /// Returns the value of a Quantity; with a comparator, the range on that side of it.
    private static func number(_ object: JSONObject) -> SearchNumber? {
        guard let text = object["value"]?.number?.text, let number = SearchNumber(decimal: text) else { return nil }
        switch object["comparator"]?.string {
        case "<", "<=": return SearchNumber(low: nil, high: number.high)
        case ">", ">=": return SearchNumber(low: number.low, high: nil)
        default: return number
        }
    }

    private static func quantity(_ value: JSON, _ form: SearchValueType) -> SearchQuantity? {
        guard case .object(let object) = value else { return nil }
        switch form {
        case .quantity:
            return number(object).map {
                SearchQuantity(
                    $0, system: object["system"]?.string, code: object["code"]?.string, unit: object["unit"]?.string)
            }
        case .money:
            return number(object).map {
                let currency = object["currency"]?.string
                return SearchQuantity(
                    $0, system: currency.map { _ in SearchQuantity.currencies }, code: currency, unit: nil)
            }
        case .range:
            guard let number = range(object), let end = object["low"] ?? object["high"] else { return nil }
            return SearchQuantity(
                number, system: end["system"]?.string, code: end["code"]?.string, unit: end["unit"]?.string)
        default: return nil
        }
    }

    // MARK: References

    private static func reference(_ value: JSON, _ form: SearchValueType) -> SearchReference? {
        switch (form, value) {
        case (.reference, .object(let object)):
            let token = object["identifier"]?.object.flatMap(identifier)
            guard var found = object["reference"]?.string.flatMap({ SearchReference(literal: $0) }) else {
                return token.map {
                    SearchReference(type: object["type"]?.string.map(Reference.typeName(stated:)), identifier: $0)
                }
            }
            found.identifier = token
            return found
        case (.canonical, .string(let text)): return SearchReference(canonical: text)
        case (.uri, .string(let text)): return SearchReference(canonical: text)
        case (.resource, .object(let object)): return SearchReference(resource: object)
        default: return nil
        }
    }
}
