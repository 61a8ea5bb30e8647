import Core
import FHIRSearch
import Foundation
import RecordStorage

/// The search entries of a template: those that all of its Observations share, and the sources of those that depend on
/// the identifiers and the value.
package struct TemplateSearchEntries: Sendable {
    /// An entry, or the source of one.
    private enum Source: Sendable {
        case common(SearchEntry)
        /// The index key of the next identifier.
        case key(SearchTerm)
        /// The number of the value, in the unit of the term.
        case number(SearchTerm)
        /// The number in UCUM's base units.
        case canonical(SearchTerm, system: String, code: String)
    }

    package let type: String
    private let sources: [Source]
    private let identifierCount: Int
    private let hasNumber: Bool

    /// Creates the entries from a record.
    ///
    /// - Returns: nil where the record has entries of other kinds than codes, texts, identifiers, its time and one
    ///   quantity: other Observations may differ in them.
    package init?(of record: NewRecord) {
        var sources: [Source] = []
        var unit: SearchTerm?
        for entry in record.entries {
            switch entry {
            case .term, .text: sources.append(.common(entry))
            case .key(let term, _): sources.append(.key(term))
            case .number(let term, _):
                if let unit {
                    guard term.parameter == unit.parameter + SearchTerm.Aspect.canonical.rawValue else { return nil }
                    sources.append(.canonical(term, system: unit.system, code: unit.code))
                } else {
                    guard !term.parameter.hasSuffix(SearchTerm.Aspect.canonical.rawValue) else { return nil }
                    sources.append(.number(term))
                    unit = term
                }
            case .time, .part: return nil
            }
        }
        guard record.time != nil, record.protection.isEmpty else { return nil }
        let hasCanonical = sources.contains { if case .canonical = $0 { true } else { false } }
        // The number of this record may be outside of the convertible range of its unit, where those of others are
        // inside.
        if let unit, !hasCanonical, Self.isConvertible(unit) { return nil }
        type = record.type
        self.sources = sources
        identifierCount = sources.count { if case .key = $0 { true } else { false } }
        hasNumber = unit != nil
    }

    /// Whether a number in the unit of a term is also indexed in base units.
    private static func isConvertible(_ unit: SearchTerm) -> Bool {
        SearchUnits.ratio(system: unit.system, code: unit.code) == nil
            && SearchNumber(decimal: "1").flatMap {
                SearchQuantity($0, system: unit.system, code: unit.code, unit: nil).canonical
            } != nil
    }

    /// Whether the entries of a record equal those of the template. Even the first record may fail, where it contains a
    /// value twice.
    package func fits(_ record: NewRecord, _ values: ObservationValues) -> Bool {
        entries(identifiers: values.identifiers, quantity: values.number?.text) == record.entries
            && values.searchPeriod == record.time
    }

    /// Returns the entries of another Observation; nil where it does not match the template.
    package func entries(identifiers: [String], quantity: String?) -> [SearchEntry]? {
        guard identifiers.count == identifierCount, (quantity != nil) == hasNumber else { return nil }
        var entries: [SearchEntry] = []
        entries.reserveCapacity(sources.count)
        var next = identifiers.startIndex
        for source in sources {
            switch source {
            case .common(let entry): entries.append(entry)
            case .key(let term):
                entries.append(.key(term, Data(SearchIndex.key(of: TokenCase.folded(identifiers[next])))))
                next += 1
            case .number(let term):
                guard let bounds = quantity.flatMap(SearchBounds.init(decimal:)) else { return nil }
                entries.append(.number(term, bounds))
            case .canonical(let term, let system, let code):
                guard let number = quantity.flatMap({ SearchNumber(decimal: $0) }),
                    let canonical = SearchQuantity(number, system: system, code: code, unit: nil).canonical
                else { return nil }
                entries.append(.number(term, SearchBounds(canonical.number)))
            }
        }
        return entries
    }
}
