import Core
import Foundation
import TestSupport
import Testing

@testable import UCUM

/// The whole of ucum-essence, read by a separate scanner: the table must contain all of it without differences.
@Suite(.enabled(if: Essence.published != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct EssenceTests {
    @Test func everyUnitIsInTheTable() throws {
        let essence = try #require(Essence.published)
        #expect(essence.units.count >= 310)
        #expect(essence.prefixes.count >= 24)
        #expect(essence.units.map(\.code).sorted() == UCUMAtom.all.map(\.code).sorted())
        for unit in essence.units {
            let atom = try #require(UCUMAtom(code: unit.code), "\(unit.code)")
            #expect(atom.isMetric == unit.isMetric, "\(unit.code)")
            #expect(atom.isSpecial == unit.isSpecial, "\(unit.code)")
            #expect(atom.isArbitrary == unit.isArbitrary, "\(unit.code)")
            #expect(atom.definition == (unit.value, unit.unit), "\(unit.code)")
            #expect(!atom.names.isEmpty, "\(unit.code)")
        }
    }

    @Test func everyUnitParsesAndConvertsToItsCanonicalFormAndBack() throws {
        let essence = try #require(Essence.published)
        for entry in essence.units {
            let unit = try UCUMUnit(entry.code)
            #expect(unit.isSpecial == entry.isSpecial, "\(entry.code)")
            #expect(unit.isArbitrary == entry.isArbitrary, "\(entry.code)")
            for value in [Decimal(1), 3, Decimal(sign: .plus, exponent: -1, significand: 3)] {
                let (canonical, base) = try unit.canonical(value)
                #expect(base.code == unit.dimension.description, "\(entry.code)")
                #expect(try UCUMUnit(base.code).isComparable(to: unit), "\(entry.code)")
                let back = try UCUMUnit(base.code).convert(canonical, to: unit)
                let error = abs(back - value)
                let isInexact = entry.isSpecial
                let bound = Decimal(sign: .plus, exponent: isInexact ? -12 : -36, significand: value)
                #expect(error <= bound, "\(value) \(entry.code) comes back as \(back)")
            }
        }
    }

    /// A unit agrees with its definition, computed here from the definition's text.
    @Test func everyUnitIsAsLargeAsItsDefinition() throws {
        let essence = try #require(Essence.published)
        for entry in essence.units where !entry.isSpecial && !entry.isArbitrary && !entry.unit.isEmpty {
            let value = try #require(Decimal(string: entry.value), "\(entry.code)")
            let defined = try UCUMUnit(entry.unit).canonical(value)
            let own = try UCUMUnit(entry.code).canonical(1)
            #expect(own.unit == defined.unit, "\(entry.code)")
            if entry.code == "[pi]" {
                #expect(own.value.description == "3.1415926535897932384626433832795028842")
            } else {
                #expect(own.value == defined.value, "\(entry.code)")
            }
        }
    }

    @Test func everyPrefixOnEveryMetricUnitParses() throws {
        let essence = try #require(Essence.published)
        let own = Set(essence.units.map(\.code))
        var count = 0
        for entry in essence.units {
            let unit = try UCUMUnit(entry.code)
            for prefix in essence.prefixes {
                let code = prefix.code + entry.code
                // A code may be a unit of its own: cd is the candela and not a centiday.
                if own.contains(code) { continue }
                guard entry.isMetric else {
                    #expect(!UCUMUnit.isValid(code), "\(code)")
                    continue
                }
                let prefixed = try UCUMUnit(code)
                #expect(prefixed.dimension == unit.dimension, "\(code)")
                let factor = try #require(ExactNumber(decimal: prefix.value))
                #expect(prefixed.meaning.factor == unit.meaning.factor * factor, "\(code)")
                #expect(prefixed.meaning.scale == unit.meaning.scale, "\(code)")
                count += 1
            }
        }
        #expect(count > 2_000)
    }

    /// No code can be read in two ways, so the order in which units and prefixes are looked up does not matter.
    @Test func noUnitIsAlsoAPrefixWithAMetricUnit() throws {
        let essence = try #require(Essence.published)
        let codes = Set(essence.units.map(\.code))
        let metric = Set(essence.units.filter(\.isMetric).map(\.code))
        var readings: [String: Int] = [:]
        for code in codes { readings[code, default: 0] += 1 }
        for prefix in essence.prefixes { for unit in metric { readings[prefix.code + unit, default: 0] += 1 } }
        let ambiguous = readings.filter { $0.value > 1 }.keys.sorted()
        #expect(ambiguous.isEmpty, "\(ambiguous)")
    }

    @Test func everyCaseInsensitiveCodeIsReadAsItsUnit() throws {
        let essence = try #require(Essence.published)
        for entry in essence.units {
            guard let upper = entry.caseInsensitiveCode else { continue }
            let unit = try UCUMUnit(caseInsensitive: upper)
            #expect(try unit.isEquivalent(to: UCUMUnit(entry.code)), "\(upper)")
            #expect(try UCUMUnit(caseInsensitive: upper.lowercased()) == unit, "\(upper)")
        }
    }
}

/// The published ucum-essence.xml.
struct Essence: Sendable {
    struct Unit: Sendable {
        let code: String
        let caseInsensitiveCode: String?
        let isMetric: Bool
        let isSpecial: Bool
        let isArbitrary: Bool
        let value: String
        let unit: String
    }

    var units: [Unit] = []
    var prefixes: [(code: String, value: String)] = []

    static let published: Essence? = {
        guard let file = PublishedData.url("ucum/ucum-essence.xml") else { return nil }
        return try? Essence(xml: String(contentsOf: file, encoding: .utf8))
    }()

    init(xml: String) {
        let element = #/<(prefix|base-unit|unit) ([^>]*)>(.*?)</(?:prefix|base-unit|unit)>/#.dotMatchesNewlines()
        for match in xml.matches(of: element) {
            let attributes = Self.attributes(match.2)
            let code = attributes["Code"] ?? ""
            // The function of a special unit is inside of its value, and has the number and the unit.
            let tags = match.3.matches(of: #/<(?:value|function) ([^>]*)>/#).map { Self.attributes($0.1) }
            let definition = tags.last ?? [:]
            if match.1 == "prefix" {
                prefixes.append((code, definition["value"] ?? ""))
            } else {
                units.append(
                    Unit(
                        code: code, caseInsensitiveCode: attributes["CODE"],
                        isMetric: match.1 == "base-unit" || attributes["isMetric"] == "yes",
                        isSpecial: attributes["isSpecial"] == "yes", isArbitrary: attributes["isArbitrary"] == "yes",
                        value: definition["value"] ?? "", unit: definition["Unit"] ?? ""))
            }
        }
    }

    private static func attributes(_ text: Substring) -> [String: String] {
        Dictionary(
            text.matches(of: #/([A-Za-z]+)="([^"]*)"/#).map { match in
                let value = String(match.2).replacing("&apos;", with: "'").replacing("&quot;", with: "\"")
                    .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
                return (String(match.1), value)
            }, uniquingKeysWith: { first, _ in first })
    }
}
