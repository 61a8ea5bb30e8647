import FHIR
import Foundation

/// Equality and equivalence (<https://hl7.org/fhirpath/N1/#equality>).
enum ValueEquality {
    /// `=`: nil if a side is empty, or if dates have different precision.
    static func areEqual(_ left: [FHIRPathValue], _ right: [FHIRPathValue]) -> Bool? {
        if left.isEmpty || right.isEmpty { return nil }
        guard left.count == right.count else { return false }
        var isKnown = true
        for (a, b) in zip(left, right) {
            guard let equal = areEqual(a, b) else {
                isKnown = false
                continue
            }
            if !equal { return false }
        }
        return isKnown ? true : nil
    }

    static func areEqual(_ left: Items, _ right: Items) -> Bool? {
        switch (left, right) {
        case (.empty, _), (_, .empty): nil
        case (.one(let a), .one(let b)): areEqual(a, b)
        case (.many(let a), .many(let b)): areEqual(a, b)
        default: false
        }
    }

    static func areEqual(_ left: FHIRPathValue, _ right: FHIRPathValue) -> Bool? {
        switch (left.system, right.system) {
        case (.boolean(let a), .boolean(let b)): return a == b
        case (.string(let a), .string(let b)): return sameText(a, b)
        case (.integer(let a), .integer(let b)), (.long(let a), .long(let b)),
            (.integer(let a), .long(let b)),
            (.long(let a), .integer(let b)):
            return a == b
        case (.decimal(let a), .decimal(let b)): return a == b
        case (.integer(let a), .decimal(let b)), (.long(let a), .decimal(let b)):
            return FHIRPathDecimal(a) == b
        case (.decimal(let a), .integer(let b)), (.decimal(let a), .long(let b)):
            return a == FHIRPathDecimal(b)
        case (.temporal(let a), .temporal(let b)):
            guard (a.kind == .time) == (b.kind == .time) else { return false }
            return a.compare(b).map { $0 == 0 }
        case (.quantity(let a), .quantity(let b)): return a.compare(b).map { $0 == 0 }
        case (.quantity(let a), .integer(let b)), (.integer(let b), .quantity(let a)):
            return a.compare(QuantityValue(FHIRPathDecimal(b), unit: "1", isCalendar: false)).map {
                $0 == 0
            }
        case (.quantity(let a), .decimal(let b)), (.decimal(let b), .quantity(let a)):
            return a.compare(QuantityValue(b, unit: "1", isCalendar: false)).map { $0 == 0 }
        // A partial text that looks like a date is compared with a date as text.
        case (.string(let a), .temporal(let b)), (.temporal(let b), .string(let a)):
            return sameText(a, b.text)
        case (.typeInfo(let a, let b), .typeInfo(let c, let d)): return a == c && b == d
        case (.element(let a), .element(let b)):
            return sameJSON(a.value, b.value) && (!a.value.isNull || a.sibling == b.sibling)
        default: return false
        }
    }

    /// Compares texts by their code points.
    static func sameText(_ left: String, _ right: String) -> Bool {
        let same = left.utf8.withContiguousStorageIfAvailable { first in
            right.utf8.withContiguousStorageIfAvailable { second in
                first.count == second.count
                    && (first.baseAddress == second.baseAddress || first.elementsEqual(second))
            }
        }
        return (same ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    private static func sameJSON(_ left: JSON, _ right: JSON) -> Bool {
        switch (left, right) {
        case (.object(let a), .object(let b)):
            return a.count == b.count
                && a.members.allSatisfy { member in
                    b[member.key].map { sameJSON(member.value, $0) } ?? false
                }
        case (.array(let a), .array(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { sameJSON($0, $1) }
        case (.number(let a), .number(let b)):
            return a == b || (a.decimal != nil && a.decimal == b.decimal)
        case (.string(let a), .string(let b)): return sameText(a, b)
        default: return left == right
        }
    }

    /// Returns a number that is equal for equal items.
    static func hash(_ value: FHIRPathValue) -> Int {
        var hasher = Hasher()
        switch value.system {
        case .boolean(let value): hasher.combine(value)
        case .string(let text): hasher.combine(text)
        case .integer(let number), .long(let number): hasher.combine(Double(number))
        case .decimal(let number): hasher.combine(number.double)
        case .element(let element): hash(element.value, into: &hasher)
        // Values that look different can be equal because of units and time zones, so all of them share one hash.
        case .temporal, .quantity: hasher.combine(1)
        case .typeInfo(_, let name): hasher.combine(name)
        }
        return hasher.finalize()
    }

    /// Hashes the content that ``sameJSON(_:_:)`` compares: the members of objects in any order, numbers by their
    /// value.
    private static func hash(_ json: JSON, into hasher: inout Hasher) {
        switch json {
        case .object(let object):
            var sum = 0
            for member in object.members {
                var inner = Hasher()
                inner.combine(member.key)
                hash(member.value, into: &inner)
                sum &+= inner.finalize()
            }
            hasher.combine(sum)
        case .array(let values):
            hasher.combine(values.count)
            for value in values { hash(value, into: &hasher) }
        case .number(let number): hasher.combine(number.double)
        case .string(let text): hasher.combine(text)
        case .bool(let truth): hasher.combine(truth)
        case .null: hasher.combine(-1)
        }
    }

    // MARK: Equivalence

    /// `~`: the same items in any order, ignoring small differences in notation; two empty collections are equivalent.
    static func areEquivalent(_ left: [FHIRPathValue], _ right: [FHIRPathValue]) -> Bool {
        guard left.count == right.count else { return false }
        if left.count == 1 { return areEquivalent(left[0], right[0]) }
        var rest = right
        for item in left {
            guard let index = rest.firstIndex(where: { areEquivalent(item, $0) }) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    static func areEquivalent(_ left: FHIRPathValue, _ right: FHIRPathValue) -> Bool {
        switch (left.system, right.system) {
        case (.string(let a), .string(let b)): return normalized(a) == normalized(b)
        case (.decimal(let a), .decimal(let b)): return sameRounded(a, b)
        case (.integer(let a), .decimal(let b)): return sameRounded(FHIRPathDecimal(a), b)
        case (.decimal(let a), .integer(let b)): return sameRounded(a, FHIRPathDecimal(b))
        case (.temporal(let a), .temporal(let b)): return a.isEquivalent(b)
        case (.quantity(let a), .quantity(let b)): return a.isEquivalent(b)
        case (.element(let a), .element(let b)):
            return equivalentJSON(a.value, b.value, isCoding: a.typeName == "Coding")
        default: return areEqual(left, right) ?? false
        }
    }

    private static func normalized(_ text: String) -> String {
        text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Compares the numbers, rounded to the less precise of the two without trailing zeros.
    private static func sameRounded(_ left: FHIRPathDecimal, _ right: FHIRPathDecimal) -> Bool {
        let digits = min(significantScale(left), significantScale(right))
        return left.rounded(digits).value == right.rounded(digits).value
    }

    private static func significantScale(_ number: FHIRPathDecimal) -> Int {
        max(0, -FHIRPathDecimal(number.value, scale: nil).value.reducedExponent)
    }

    private static func equivalentJSON(_ left: JSON, _ right: JSON, isCoding: Bool) -> Bool {
        switch (left, right) {
        case (.object(let a), .object(let b)):
            if isCoding {
                // Codings with the same code and system are equivalent, whatever their display.
                return a["code"] == b["code"] && a["system"] == b["system"]
            }
            let skipped: Set<String> = ["id"]
            let first = a.members.filter { !skipped.contains($0.key) }
            let second = b.members.filter { !skipped.contains($0.key) }
            return first.count == second.count
                && first.allSatisfy { member in
                    b[member.key].map { equivalentJSON(member.value, $0, isCoding: member.key == "coding") }
                        ?? false
                }
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            var rest = b
            for item in a {
                guard let index = rest.firstIndex(where: { equivalentJSON(item, $0, isCoding: isCoding) })
                else {
                    return false
                }
                rest.remove(at: index)
            }
            return true
        case (.string(let a), .string(let b)): return normalized(a) == normalized(b)
        case (.number(let a), .number(let b)):
            guard let first = FHIRPathDecimal(text: a.text), let second = FHIRPathDecimal(text: b.text)
            else {
                return a == b
            }
            return sameRounded(first, second)
        default: return left == right
        }
    }
}

extension Decimal {
    /// The exponent without trailing zeros.
    var reducedExponent: Int {
        let text = description
        guard let point = text.firstIndex(of: ".") else { return 0 }
        return -text[point...].dropFirst().reversed().drop { $0 == "0" }.count
    }
}

/// Ordering of two values (<https://hl7.org/fhirpath/N1/#comparison>).
enum ValueOrder {
    /// Returns -1, 0 or 1; nil if the order is not known.
    static func compare(_ left: FHIRPathValue, with right: FHIRPathValue, name: String)
        throws(FHIRPathError) -> Int?
    {
        func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int { a < b ? -1 : a == b ? 0 : 1 }
        switch (left, right) {
        case (.string(let a), .string(let b)):
            return TextOrder.compare(a, with: b)
        case (.integer(let a), .integer(let b)), (.long(let a), .long(let b)),
            (.integer(let a), .long(let b)),
            (.long(let a), .integer(let b)):
            return order(a, b)
        case (.decimal(let a), .decimal(let b)): return a.compare(b)
        case (.integer(let a), .decimal(let b)), (.long(let a), .decimal(let b)):
            return FHIRPathDecimal(a).compare(b)
        case (.decimal(let a), .integer(let b)), (.decimal(let a), .long(let b)):
            return a.compare(FHIRPathDecimal(b))
        case (.temporal(let a), .temporal(let b)):
            guard (a.kind == .time) == (b.kind == .time) else { throw mismatch(left, with: right, name: name) }
            return a.compare(b)
        case (.quantity(let a), .quantity(let b)): return a.compare(b)
        case (.quantity(let a), .integer(let b)):
            return a.compare(QuantityValue(FHIRPathDecimal(b), unit: "1", isCalendar: false))
        case (.quantity(let a), .decimal(let b)):
            return a.compare(QuantityValue(b, unit: "1", isCalendar: false))
        case (.integer(let a), .quantity(let b)):
            return QuantityValue(FHIRPathDecimal(a), unit: "1", isCalendar: false).compare(b)
        case (.decimal(let a), .quantity(let b)):
            return QuantityValue(a, unit: "1", isCalendar: false).compare(b)
        case (.element(let a), _) where a.isPrimitive && a.value.isNull: return nil
        case (_, .element(let b)) where b.isPrimitive && b.value.isNull: return nil
        default: throw mismatch(left, with: right, name: name)
        }
    }

    private static func mismatch(_ left: FHIRPathValue, with right: FHIRPathValue, name: String) -> FHIRPathError {
        .execution(
            "not-comparable", "\(name) cannot compare a \(left.typeName) with a \(right.typeName).")
    }
}
