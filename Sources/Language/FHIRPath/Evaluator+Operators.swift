import FHIR
import Foundation

extension Evaluator {
    mutating func binary(
        _ sign: FHIRPathOperator, left: ExpressionNode, right: ExpressionNode, on focus: Items,
        in scope: Scope
    ) throws(FHIRPathError) -> Items {
        let first = try branch(left, on: focus, in: scope)
        switch sign {
        case .and, .or, .xor, .implies:
            return try logic(sign, first: first, right: right, on: focus, in: scope)
        default: break
        }
        let second = try branch(right, on: focus, in: scope)
        switch sign {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            try spend(bytes: ComparisonCost.ofEquality(first, second))
        case .equivalent, .notEquivalent:
            try spend(bytes: ComparisonCost.ofEquivalence(first, second))
        default: break
        }
        switch sign {
        case .union: return Items(try bounded(try distinct(first.array + second.array)))
        case .equal: return ValueEquality.areEqual(first, second).map { .truth($0) } ?? .empty
        case .notEqual: return ValueEquality.areEqual(first, second).map { .truth(!$0) } ?? .empty
        case .equivalent: return .truth(ValueEquality.areEquivalent(first.array, second.array))
        case .notEquivalent: return .truth(!ValueEquality.areEquivalent(first.array, second.array))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard let a = try single(first, sign.rawValue), let b = try single(second, sign.rawValue),
                let order = try ValueOrder.compare(a, with: b, name: sign.rawValue)
            else { return .empty }
            switch sign {
            case .less: return .truth(order < 0)
            case .lessOrEqual: return .truth(order <= 0)
            case .greater: return .truth(order > 0)
            default: return .truth(order >= 0)
            }
        case .in: return try membership(of: first, in: second, "in")
        case .contains: return try membership(of: second, in: first, "contains")
        case .concatenate:
            let a = try string(first, "&") ?? ""
            let b = try string(second, "&") ?? ""
            return try bounded(a + b)
        default:
            guard let a = try single(first, sign.rawValue), let b = try single(second, sign.rawValue),
                let result = try Arithmetic.apply(sign, left: a, right: b)
            else { return .empty }
            if case .string(let text) = result { return try bounded(text) }
            return .one(result)
        }
    }

    private mutating func membership(
        of item: Items, in collection: Items, _ name: String
    ) throws(FHIRPathError) -> Items {
        guard !item.isSeveral else { throw .several(name) }
        guard case .one(let item) = item else { return .empty }
        try spend(bytes: ComparisonCost.ofEquality(item, collection))
        switch collection {
        case .empty: return .truth(false)
        case .one(let value): return .truth(ValueEquality.areEqual(value, item) == true)
        case .many(let values):
            try spend(values.count)
            return .truth(values.contains { ValueEquality.areEqual($0, item) == true })
        }
    }

    /// Three-valued logic (<https://hl7.org/fhirpath/N1/#boolean-logic>). The right side is evaluated only if the
    /// result depends on it.
    private mutating func logic(
        _ sign: FHIRPathOperator, first: Items, right: ExpressionNode, on focus: Items,
        in scope: Scope
    ) throws(FHIRPathError) -> Items {
        let a = try boolean(first, sign.rawValue)
        switch (sign, a) {
        case (.and, false?): return .truth(false)
        case (.or, true?): return .truth(true)
        case (.implies, false?): return .truth(true)
        default: break
        }
        let b = try boolean(try branch(right, on: focus, in: scope), sign.rawValue)
        let result: Bool?
        switch sign {
        case .and: result = b == false ? false : a == nil || b == nil ? nil : true
        case .or: result = b == true ? true : a == nil || b == nil ? nil : false
        case .xor: result = a == nil || b == nil ? nil : a != b
        default: result = b == true ? true : a == nil ? nil : b
        }
        return result.map { .truth($0) } ?? .empty
    }

    func negated(_ values: Items) throws(FHIRPathError) -> Items {
        guard let value = try single(values, "-") else { return .empty }
        switch value {
        case .integer(let number): return .one(.integer(-number))
        case .long(let number):
            let (negative, overflow) = number.multipliedReportingOverflow(by: -1)
            return overflow ? .empty : .one(.long(negative))
        case .decimal(let number): return .one(.decimal(number.negated))
        case .quantity(let quantity):
            return .one(
                .quantity(
                    QuantityValue(
                        quantity.value.negated, unit: quantity.unit, isCalendar: quantity.isCalendar)))
        default:
            throw .execution(
                "number-expected", "- takes a number or a quantity, not a \(value.typeName).")
        }
    }

    /// Returns the distinct items, by equality.
    mutating func distinct(_ values: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        guard values.count > 1 else { return values }
        var set = DistinctValues()
        for value in values {
            let bytes = value.byteCount
            try spend(bytes: bytes)
            let compared = set.insert(value)
            try spend(bytes: compared * bytes)
        }
        return set.values
    }
}

/// A collection of distinct items with a hash index.
struct DistinctValues {
    private(set) var values: [FHIRPathValue] = []
    /// The last item of each hash, and for each item the previous one with the same hash.
    private var heads: [Int: Int] = [:]
    private var before: [Int] = []

    /// Adds an item if it is not present.
    ///
    /// - Returns: the number of items with which it was compared.
    mutating func insert(_ value: FHIRPathValue) -> Int {
        let key = ValueEquality.hash(value)
        var compared = 0
        var index = heads[key] ?? -1
        let head = index
        while index >= 0 {
            compared += 1
            if ValueEquality.areEqual(values[index], value) == true { return compared }
            index = before[index]
        }
        heads[key] = values.count
        before.append(head)
        values.append(value)
        return compared
    }

    func contains(_ value: FHIRPathValue) -> Bool {
        var index = heads[ValueEquality.hash(value)] ?? -1
        while index >= 0 {
            if ValueEquality.areEqual(values[index], value) == true { return true }
            index = before[index]
        }
        return false
    }
}
