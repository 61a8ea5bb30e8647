import TestSupport
import Testing

@testable import HealthTypes

/// Random units and numbers.
extension Seeded {
    /// Returns a unit string with products, powers, parentheses and a division.
    mutating func unit() -> String {
        let above = product(depth: 2)
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return "1/" + product(depth: 2)
        case 1: return above + "/" + product(depth: 2)
        default: return above
        }
    }

    private mutating func product(depth: Int) -> String {
        let count = Int.random(in: 1...3, using: &self)
        var text = term(depth: depth)
        for _ in 1..<count { text += pick(["·", "*", "."]) + term(depth: depth) }
        return text
    }

    private mutating func term(depth: Int) -> String {
        let isGroup = depth > 0 && Int.random(in: 0..<4, using: &self) == 0
        let power = Int.random(in: 0..<3, using: &self) == 0 ? "^\(Int.random(in: -3...3, using: &self))" : ""
        return (isGroup ? "(" + product(depth: depth - 1) + ")" : part()) + power
    }

    /// Returns an atom, with a prefix if it allows one.
    mutating func part() -> String {
        let atom = pick(HealthKitAtom.all)
        var text = atom.takesPrefix ? pick(HealthKitPrefix.allCases).rawValue + atom.symbol : atom.symbol
        if atom.symbol == "mol", Bool.random(using: &self) {
            text += "<\(Int.random(in: 1...999, using: &self)).\(Int.random(in: 1...99_999, using: &self))>"
        }
        return text
    }

    /// Returns another unit of the same dimension: every factor is replaced by a compatible one.
    mutating func alike(_ unit: HealthKitUnit) -> HealthKitUnit {
        var factors: [HealthKitUnit.Factor] = []
        for factor in unit.factors {
            let atom = factor.unit.atom
            let like = HealthKitAtom.all.indices.filter {
                HealthKitAtom.all[$0].quantity == atom.quantity && HealthKitAtom.all[$0].power == atom.power
            }
            let index = factor.unit.molarMass == nil ? pick(like) : factor.unit.index
            let prefix = HealthKitAtom.all[index].takesPrefix ? pick(HealthKitPrefix.allCases) : .none
            let part = HealthKitUnit.Part(index: index, prefix: prefix, molarMass: factor.unit.molarMass)
            if factors.contains(where: { $0.unit == part }) { return unit }
            factors.append(HealthKitUnit.Factor(unit: part, exponent: factor.exponent))
        }
        return HealthKitUnit(factors: factors)
    }

    /// Returns a number in the form that exports use.
    mutating func decimal() -> String {
        let whole = pick(["0", "1", "72", "1013", "98765", "123456789012"])
        let digits = Int.random(in: 0...17, using: &self)
        var fraction = digits == 0 ? "" : "."
        for _ in 0..<digits { fraction += String(Int.random(in: 0...9, using: &self)) }
        if Int.random(in: 0..<4, using: &self) == 0 {
            fraction = pick([".5", ".10", ".000", ".333333333333", ".00001"])
        }
        return pick(["", "", "-"]) + whole + fraction
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
