import Core
import Foundation
import HealthTypes
import Synchronization
import UCUM

/// Parses units as sent, and converts between them. Results are cached, because millions of values have only a few
/// units.
enum UnitReading {
    /// A parsed unit.
    struct ParsedUnit: Sendable {
        let unit: UCUMUnit
        /// The unit in which quantities of its kind are stored if none is declared; nil for the unit itself.
        let conventional: String?
    }

    /// A conversion from one unit to another.
    struct UnitConversion: Sendable {
        let from: UCUMUnit
        let to: UCUMUnit
        /// Whether larger values in one unit are smaller in the other, as with pH.
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

    private struct Cache {
        var sent: [Sent: String?] = [:]
        var readings: [String: ParsedUnit?] = [:]
        var conversions: [Pair: UnitConversion?] = [:]
    }

    /// Maximum number of cached units; a sender may write any text as a unit.
    private static let maximumCached = 1_000
    /// Maximum length of a unit.
    private static let maximumLength = UnitText.maximumLength
    private static let cache = Mutex(Cache())

    /// Returns the unit that a text means: a UCUM code, or HealthKit's or UCUM's name of a unit; nil for any other
    /// text.
    static func read(_ text: String) -> ParsedUnit? {
        guard text.utf8.count <= maximumLength else { return nil }
        if let known = cache.withLock({ $0.readings[text] }) { return known }
        let made = make(text)
        cache.withLock { cache in
            if cache.readings.count >= maximumCached { cache.readings = [:] }
            cache.readings[text] = .some(made)
        }
        return made
    }

    private static func make(_ text: String) -> ParsedUnit? {
        guard let code = UnitText.ucum(text), let unit = try? UCUMUnit(code) else { return nil }
        return ParsedUnit(unit: unit, conventional: ConventionalUnit.code(for: unit))
    }

    /// Returns the UCUM code of a unit as sent (``HealthTypes/QuantityUnit/ucum(measuring:)``).
    static func code(of sent: QuantityUnit, measuring target: String?) -> String? {
        let key = Sent(unit: sent, target: target)
        if let known = cache.withLock({ $0.sent[key] }) { return known }
        let made = sent.ucum(measuring: target)
        guard sent.shown?.utf8.count ?? 0 <= maximumLength, sent.text?.utf8.count ?? 0 <= maximumLength else {
            return made
        }
        cache.withLock { cache in
            if cache.sent.count >= maximumCached { cache.sent = [:] }
            cache.sent[key] = .some(made)
        }
        return made
    }

    /// Returns the conversion from one unit to another; nil if they do not measure the same.
    static func conversion(from: String, to: String) -> UnitConversion? {
        let pair = Pair(from: from, to: to)
        if let known = cache.withLock({ $0.conversions[pair] }) { return known }
        let made = make(pair)
        cache.withLock { cache in
            if cache.conversions.count >= maximumCached { cache.conversions = [:] }
            cache.conversions[pair] = .some(made)
        }
        return made
    }

    private static func make(_ pair: Pair) -> UnitConversion? {
        guard let from = read(pair.from)?.unit, let to = read(pair.to)?.unit, from.isComparable(to: to),
            from.isSpecial || to.isSpecial || ConventionalUnit.isAmount(from) == ConventionalUnit.isAmount(to)
        else { return nil }
        let low = try? from.convert(1, to: to)
        let high = try? from.convert(2, to: to)
        guard let low, let high else { return nil }
        return UnitConversion(from: from, to: to, isReversed: high < low)
    }
}
