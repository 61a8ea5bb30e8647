import FHIR
import Foundation

extension Evaluator {
    mutating func binary(
        _ sign: FHIRPathOperator, _ left: ExpressionNode, _ right: ExpressionNode, _ focus: [FHIRPathValue],
        _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        let first = try branch(left, focus, scope)
        switch sign {
        case .and, .or, .xor, .implies:
            return try logic(sign, first, right, focus, scope)
        default: break
        }
        let second = try branch(right, focus, scope)
        switch sign {
        case .union: return try bounded(try distinct(first + second))
        case .equal: return ValueEquality.areEqual(first, second).map { [.boolean($0)] } ?? []
        case .notEqual: return ValueEquality.areEqual(first, second).map { [.boolean(!$0)] } ?? []
        case .equivalent: return [.boolean(ValueEquality.areEquivalent(first, second))]
        case .notEquivalent: return [.boolean(!ValueEquality.areEquivalent(first, second))]
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let a = try single(first, sign.rawValue), let b = try single(second, sign.rawValue),
                let order = try ValueOrder.compare(a, b, sign.rawValue)
            else { return [] }
            switch sign {
            case .less: return [.boolean(order < 0)]
            case .lessOrEqual: return [.boolean(order <= 0)]
            case .greater: return [.boolean(order > 0)]
            default: return [.boolean(order >= 0)]
            }
        case .in: return try membership(of: first, in: second, "in")
        case .contains: return try membership(of: second, in: first, "contains")
        case .concatenate:
            let a = try string(first, "&") ?? ""
            let b = try string(second, "&") ?? ""
            return try bounded(a + b)
        default:
            guard let a = try single(first, sign.rawValue), let b = try single(second, sign.rawValue) else { return [] }
            return try Arithmetic.apply(sign, a, b).map { value throws(FHIRPathError) in try bounded([value]) } ?? []
        }
    }

    private mutating func membership(
        of item: [FHIRPathValue], in collection: [FHIRPathValue], _ name: String
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        guard item.count <= 1 else { throw .several(name) }
        guard let item = item.first else { return [] }
        try spend(collection.count)
        return [.boolean(collection.contains { ValueEquality.areEqual($0, item) == true })]
    }

    /// Three-valued logic (<https://hl7.org/fhirpath/N1/#boolean-logic>); the right side is evaluated where it decides.
    private mutating func logic(
        _ sign: FHIRPathOperator, _ first: [FHIRPathValue], _ right: ExpressionNode, _ focus: [FHIRPathValue],
        _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        let a = try boolean(first, sign.rawValue)
        switch (sign, a) {
        case (.and, false?): return [.boolean(false)]
        case (.or, true?): return [.boolean(true)]
        case (.implies, false?): return [.boolean(true)]
        default: break
        }
        let b = try boolean(try branch(right, focus, scope), sign.rawValue)
        let result: Bool?
        switch sign {
        case .and: result = b == false ? false : a == nil || b == nil ? nil : true
        case .or: result = b == true ? true : a == nil || b == nil ? nil : false
        case .xor: result = a == nil || b == nil ? nil : a != b
        default: result = b == true ? true : a == nil ? nil : b
        }
        return result.map { [.boolean($0)] } ?? []
    }

    func negated(_ values: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        guard let value = try single(values, "-") else { return [] }
        switch value {
        case .integer(let number): return [.integer(-number)]
        case .long(let number): return [.long(-number)]
        case .decimal(let number): return [.decimal(FHIRPathDecimal(-number.value, scale: number.scale))]
        case .quantity(let quantity):
            let number = FHIRPathDecimal(-quantity.value.value, scale: quantity.value.scale)
            return [.quantity(QuantityValue(number, unit: quantity.unit, isCalendar: quantity.isCalendar))]
        default: throw .execution("number-expected", "- takes a number or a quantity, not a \(value.typeName).")
        }
    }

    /// Each item once, by equality.
    mutating func distinct(_ values: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        guard values.count > 1 else { return values }
        var set = DistinctValues()
        for value in values {
            try spend()
            let looked = set.insert(value)
            try spend(looked)
        }
        return set.values
    }
}

/// A collection in which each item stands once, found by a key where one exists.
struct DistinctValues {
    private(set) var values: [FHIRPathValue] = []
    /// Places of items by a hash that equal items share.
    private var places: [Int: [Int]] = [:]

    /// Adds an item that is not there yet.
    ///
    /// - Returns: how many items it was compared with.
    mutating func insert(_ value: FHIRPathValue) -> Int {
        let key = ValueEquality.hash(value)
        let candidates = places[key] ?? []
        for place in candidates where ValueEquality.areEqual(values[place], value) == true { return candidates.count }
        places[key, default: []].append(values.count)
        values.append(value)
        return candidates.count
    }

    mutating func contains(_ value: FHIRPathValue) -> Bool {
        (places[ValueEquality.hash(value)] ?? []).contains { ValueEquality.areEqual(values[$0], value) == true }
    }
}
