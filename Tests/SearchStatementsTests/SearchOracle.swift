import AccessPolicy
import FHIR
import Foundation

@testable import FHIRSearch
@testable import SearchStatements

/// The expected response of a search, computed from the resources in memory: by the conditions and the filters, without
/// an index.
struct SearchOracle {
    typealias Record = SearchStore.Record

    let records: [Record]
    let searched: RecordFilter
    let readable: RecordFilter
    let ownBases: [String]

    // MARK: Matches

    func matches(of request: SearchQuery) -> [Record] {
        let found = records.filter { record in
            request.parts.contains { part in
                part.type == record.type && part.criteria.allSatisfy { isMet($0, by: record) }
            } && searched.matches(record.facts)
        }
        return found.sorted { comes($0, before: $1, by: request.order) }
    }

    private func isMet(_ criterion: SearchCriterion, by record: Record) -> Bool {
        switch criterion {
        case .condition(let condition): condition.matches(record.values)
        case .any(let parts): parts.contains { isMet($0, by: record) }
        case .chain(let chain):
            chain.targets.contains { target in
                records.contains { other in
                    other.type == target.type && searched.matches(other.facts)
                        && refers(record, chain.parameter, to: other) && isMet(target.criterion, by: other)
                }
            }
        case .reverse(let reverse):
            records.contains { other in
                other.type == reverse.source && searched.matches(other.facts)
                    && refers(other, reverse.parameter, to: record) && isMet(reverse.criterion, by: other)
            }
        }
    }

    /// Whether a parameter of a record refers to another record.
    private func refers(_ record: Record, _ parameter: String, to other: Record) -> Bool {
        record.values[parameter].contains { value in
            guard case .reference(let reference) = value else { return false }
            let isHere = reference.base.map { ownBases.contains($0) } ?? true
            if isHere, reference.type == other.type, reference.id == other.id { return true }
            guard let url = reference.url, ReferringRecords.url(of: other.type) != nil else { return false }
            let text = reference.version.map { url + "|" + $0 } ?? url
            return other.values["url"].contains(.uri(text))
        }
    }

    // MARK: Order

    private enum Key: Equatable {
        case none
        case number(Double)
        case text(String)
    }

    private func key(_ record: Record, _ key: SearchOrder.Key) -> Key {
        let values = record.values[SearchAlias.published(key.code, of: record.type)]
        let keys: [Key] = values.compactMap { value in
            switch value {
            case .token(let token): token.code.map { .text(Self.shortened($0)) }
            case .string(let string): .text(Self.shortened(string.folded))
            case .date(let period): .number(Double(period.low))
            case .number(let number): .number(number.low?.double ?? -.infinity)
            case .quantity(let quantity): .number(quantity.number.low?.double ?? -.infinity)
            case .reference(let reference): Self.written(reference).map { .text(Self.shortened($0)) }
            case .uri(let uri): .text(Self.shortened(uri))
            case .composite: nil
            }
        }
        let sorted = keys.sorted { Self.isLess($0, $1) }
        return (key.isDescending ? sorted.last : sorted.first) ?? .none
    }

    private static func written(_ reference: SearchReference) -> String? {
        if let id = reference.id {
            return (reference.base ?? reference.type ?? "") + "/"
                + (reference.base == nil ? id : (reference.type ?? "") + "/" + id)
        }
        return reference.url
    }

    private static func shortened(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(SearchOrder.longestText)))
    }

    private static func isLess(_ left: Key, _ right: Key) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
        default: false
        }
    }

    private func comes(_ left: Record, before right: Record, by order: SearchOrder) -> Bool {
        for key in order.keys {
            let (own, other) = (self.key(left, key), self.key(right, key))
            if own == other { continue }
            if own == .none || other == .none { return other == .none }
            return key.isDescending ? Self.isLess(other, own) : Self.isLess(own, other)
        }
        return left.number < right.number
    }

    // MARK: Includes

    func included(with page: [Record], by includes: [SearchInclude]) -> [Record] {
        var all = page
        var latest = page
        var isFirst = true
        while !latest.isEmpty {
            let asked = isFirst ? includes : includes.filter(\.isIterated)
            var next: [Record] = []
            for include in asked {
                for one in latest {
                    for other in records where readable.matches(other.facts) {
                        guard !(all + next).contains(where: { $0.type == other.type && $0.id == other.id }),
                            include.direction == .forward
                                ? leads(include, from: one, to: other) : leads(include, from: other, to: one)
                        else { continue }
                        next.append(other)
                    }
                }
            }
            all += next
            latest = next
            isFirst = false
        }
        return Array(all.dropFirst(page.count))
    }

    private func leads(_ include: SearchInclude, from source: Record, to target: Record) -> Bool {
        guard include.source == nil || include.source == source.type,
            include.target == nil || include.target == target.type
        else { return false }
        return source.values.tree.parameters.contains { parameter in
            parameter.kind == .reference && (include.parameter == nil || include.parameter == parameter.code)
                && refers(source, parameter.code, to: target)
        }
    }
}
