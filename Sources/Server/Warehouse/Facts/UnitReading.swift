import Core
import Foundation
import HealthTypes
import Synchronization
import UCUM

/// Reads units as they were sent, and converts between them. What was read is kept: loads of millions of values have a
/// handful of units.
enum UnitReading {
    /// A unit that was read.
    struct Reading: Sendable {
        let unit: UCUMUnit
        /// The unit that quantities of its kind are kept in where nobody declares one; nil for its own.
        let conventional: String?
    }

    /// A way from one unit to another.
    struct Conversion: Sendable {
        let from: UCUMUnit
        let to: UCUMUnit
        /// Whether more in the one unit is less in the other, as of pH.
        let isReversed: Bool

        func convert(_ value: Decimal) -> Decimal? { try? from.convert(value, to: to) }
    }

    private struct Pair: Hashable {
        let from: String
        let to: String
    }

    private struct Sent: Hashable {
        let unit: QuantityUnit
        let target: String?
    }

    private struct Kept {
        var sent: [Sent: String?] = [:]
        var readings: [String: Reading?] = [:]
        var conversions: [Pair: Conversion?] = [:]
    }

    /// Units that are kept at most; anything may stand where a unit is sent.
    private static let maximumKept = 1_000
    /// A longer text is no unit.
    private static let maximumLength = UnitText.maximumLength
    private static let kept = Mutex(Kept())

    /// The unit that a text means: UCUM's code, else HealthKit's or UCUM's name of a unit; nil for any other text.
    static func read(_ text: String) -> Reading? {
        guard text.utf8.count <= maximumLength else { return nil }
        if let known = kept.withLock({ $0.readings[text] }) { return known }
        let made = make(text)
        kept.withLock { kept in
            if kept.readings.count >= maximumKept { kept.readings = [:] }
            kept.readings[text] = .some(made)
        }
        return made
    }

    private static func make(_ text: String) -> Reading? {
        guard let code = UnitText.ucum(text), let unit = try? UCUMUnit(code) else { return nil }
        return Reading(unit: unit, conventional: ConventionalUnit.code(for: unit))
    }

    /// The UCUM code of a unit as it was sent (``HealthTypes/QuantityUnit/ucum(measuring:)``).
    static func code(of sent: QuantityUnit, measuring target: String?) -> String? {
        let key = Sent(unit: sent, target: target)
        if let known = kept.withLock({ $0.sent[key] }) { return known }
        let made = sent.ucum(measuring: target)
        guard sent.shown?.utf8.count ?? 0 <= maximumLength, sent.text?.utf8.count ?? 0 <= maximumLength else {
            return made
        }
        kept.withLock { kept in
            if kept.sent.count >= maximumKept { kept.sent = [:] }
            kept.sent[key] = .some(made)
        }
        return made
    }

    /// The way from one unit to another; nil where they do not measure the same.
    static func conversion(from: String, to: String) -> Conversion? {
        let pair = Pair(from: from, to: to)
        if let known = kept.withLock({ $0.conversions[pair] }) { return known }
        let made = make(pair)
        kept.withLock { kept in
            if kept.conversions.count >= maximumKept { kept.conversions = [:] }
            kept.conversions[pair] = .some(made)
        }
        return made
    }

    private static func make(_ pair: Pair) -> Conversion? {
        guard let from = read(pair.from)?.unit, let to = read(pair.to)?.unit, from.isComparable(to: to),
            from.isSpecial || to.isSpecial || ConventionalUnit.isAmount(from) == ConventionalUnit.isAmount(to)
        else { return nil }
        let low = try? from.convert(1, to: to)
        let high = try? from.convert(2, to: to)
        guard let low, let high else { return nil }
        return Conversion(from: from, to: to, isReversed: high < low)
    }
}
