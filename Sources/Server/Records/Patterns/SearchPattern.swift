import Core
import Foundation

/// What all observations of a kind are found by, learned of one of them: the entries that they have in common, and where
/// those stand that differ with identity and value.
public struct SearchPattern: Sendable {
    /// An entry, or what one is made of.
    private enum Place: Sendable {
        case common(SearchEntry)
        /// The next identifier.
        case print(SearchTerm)
        /// The number of the value, in the unit of the term.
        case number(SearchTerm)
        /// The same in UCUM's base units.
        case canonical(SearchTerm, system: String, code: String)
    }

    let type: String
    private let places: [Place]
    private let identifierCount: Int
    private let hasNumber: Bool

    /// Learns of a record.
    ///
    /// - Returns: nil where it is found by more than codes, words, identifiers, its time and one quantity: others may differ in that.
    public init?(of record: NewRecord) {
        var places: [Place] = []
        var unit: SearchTerm?
        for entry in record.entries {
            switch entry {
            case .term, .text: places.append(.common(entry))
            case .print(let term, _): places.append(.print(term))
            case .number(let term, _):
                if let unit {
                    guard term.parameter == unit.parameter + SearchTerm.Aspect.canonical.rawValue else { return nil }
                    places.append(.canonical(term, system: unit.system, code: unit.code))
                } else {
                    guard !term.parameter.hasSuffix(SearchTerm.Aspect.canonical.rawValue) else { return nil }
                    places.append(.number(term))
                    unit = term
                }
            case .time, .part: return nil
            }
        }
        guard record.time != nil, record.protection.isEmpty else { return nil }
        let hasCanonical = places.contains { if case .canonical = $0 { true } else { false } }
        // The number of this one may be out of the range that its unit can be converted in; that of others is not.
        if let unit, !hasCanonical, Self.isConvertible(unit) { return nil }
        type = record.type
        self.places = places
        identifierCount = places.count { if case .print = $0 { true } else { false } }
        hasNumber = unit != nil
    }

    /// Whether a number in the unit of a term is found in base units too.
    private static func isConvertible(_ unit: SearchTerm) -> Bool {
        SearchUnits.ratio(system: unit.system, code: unit.code) == nil
            && SearchNumber(decimal: "1").flatMap {
                SearchQuantity($0, system: unit.system, code: unit.code, unit: nil).canonical
            } != nil
    }

    /// Whether one is found as this says; that it was learned of it is not enough where it says a thing twice.
    public func fits(_ record: NewRecord, _ values: ObservationValues) -> Bool {
        entries(identifiers: values.identifiers, quantity: values.number?.text) == record.entries
            && values.searchPeriod == record.time
    }

    /// The entries of another one; nil where it is not of the kind.
    func entries(identifiers: [String], quantity: String?) -> [SearchEntry]? {
        guard identifiers.count == identifierCount, (quantity != nil) == hasNumber else { return nil }
        var entries: [SearchEntry] = []
        entries.reserveCapacity(places.count)
        var next = identifiers.startIndex
        for place in places {
            switch place {
            case .common(let entry): entries.append(entry)
            case .print(let term):
                entries.append(.print(term, Data(SearchIndex.print(of: TokenCase.folded(identifiers[next])))))
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
