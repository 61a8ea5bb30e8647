import FHIR

/// Maximum number of bytes that a comparison reads, as far as it depends on the values.
enum ComparisonCost {
    /// Returns the cost of comparing two collections item by item.
    static func ofEquality(_ left: Items, _ right: Items) -> Int {
        switch (left, right) {
        case (.one(let a), .one(let b)): ofEquality(a, b)
        case (.many(let a), .many(let b)) where a.count == b.count: zip(a, b).reduce(0) { $0 + ofEquality($1.0, $1.1) }
        default: 0
        }
    }

    /// Returns the cost of comparing an item with each item of a collection.
    static func ofEquality(_ item: FHIRPathValue, _ collection: Items) -> Int {
        switch collection {
        case .empty: 0
        case .one(let value): ofEquality(item, value)
        case .many(let values): values.reduce(0) { $0 + ofEquality(item, $1) }
        }
    }

    /// Texts are compared up to the length of the shorter one; an element with members never equals a text.
    private static func ofEquality(_ left: FHIRPathValue, _ right: FHIRPathValue) -> Int {
        switch (left.hasMembers, right.hasMembers) {
        case (true, true): left.byteCount
        case (true, false), (false, true): 0
        case (false, false): min(left.byteCount, right.byteCount)
        }
    }

    /// Returns the cost of comparing each item with each, until an equivalent one is found.
    static func ofEquivalence(_ left: Items, _ right: Items) -> Int {
        let (first, second) = (left.array, right.array)
        guard first.count == second.count else { return 0 }
        let cost = (first + second).reduce(0) { sum($0, $1.equivalenceCost) }
        return product(max(1, first.count), cost)
    }

    private static let maximum = 1 << 40

    fileprivate static func sum(_ left: Int, _ right: Int) -> Int { min(maximum, left + right) }

    fileprivate static func product(_ left: Int, _ right: Int) -> Int {
        let (result, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? maximum : min(maximum, result)
    }
}

extension FHIRPathValue {
    /// Number of bytes of a text, or of an element as JSON.
    var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .element(let element): element.value.byteCount(upTo: .max) ?? 0
        default: 8
        }
    }

    fileprivate var hasMembers: Bool {
        guard case .element(let element) = self else { return false }
        switch element.value {
        case .object, .array: return true
        default: return false
        }
    }

    fileprivate var equivalenceCost: Int {
        guard case .element(let element) = self else { return byteCount }
        return element.value.equivalenceCost
    }
}

extension JSON {
    /// The cost of equivalence. Equivalent lists have the same items in any order, so all pairs are compared.
    fileprivate var equivalenceCost: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .array(let items):
            ComparisonCost.product(max(1, items.count), items.reduce(0) { ComparisonCost.sum($0, $1.equivalenceCost) })
        case .object(let object):
            object.members.reduce(0) { ComparisonCost.sum($0, $1.key.utf8.count + $1.value.equivalenceCost) }
        default: 8
        }
    }
}
