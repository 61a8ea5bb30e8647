import Core
import FHIR
import FHIRSearch
import Foundation

/// One search on resources in memory (<https://hl7.org/fhir/R4/search.html>).
struct BundleSearch {
    private let resources: QueriedResources
    private let path: [Substring]
    private let query: SearchQuery?
    private let name: String
    /// Maximum length of a query in bytes.
    private static let maximumLength = 20_000

    init(_ resources: QueriedResources, query text: String, now: DateTime) throws(QueryFault) {
        self.resources = resources
        var text = text.trimmingCharacters(in: .whitespacesAndNewlines)[...]
        for base in resources.bases where text.hasPrefix(base + "/") { text = text.dropFirst(base.count) }
        if text.hasPrefix("/") { text = text.dropFirst() }
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        name = ParameterName.shown(String(parts[0].prefix { $0 != "/" }))
        guard text.utf8.count <= Self.maximumLength else {
            throw QueryFault(code: "query-invalid", name: name, message: "The query is too long.")
        }
        let parameters = try Self.parameters(parts.count > 1 ? parts[1] : "", of: name)
        guard let scope = Self.scope(path) else {
            guard path.count == 2, parts.count == 1, RecordType.isHeld(String(path[0])), Resource.isID(String(path[1]))
            else {
                throw QueryFault(
                    code: "query-invalid", name: name, message: "This is neither a search nor a read of FHIR.")
            }
            query = nil
            return
        }
        do {
            query = try SearchQuery(
                scope, parameters: parameters, strict: true, now: now.start(), ownBases: resources.bases)
        } catch let error as any CodedError {
            throw QueryFault(code: error.code, name: name, message: error.message)
        } catch {
            throw QueryFault(code: "query-invalid", name: name, message: "The search is invalid.")
        }
    }

    private static func scope(_ path: [Substring]) -> SearchQuery.Scope? {
        switch path.count {
        case 1 where RecordType.isHeld(String(path[0])): .type(String(path[0]))
        case 3 where RecordType.isHeld(String(path[2])):
            SearchCompartment(type: String(path[0]), id: String(path[1])).map {
                .compartment($0, type: String(path[2]))
            }
        default: nil
        }
    }

    /// A parameter without a value is an error, because without it the search would find records of other people.
    private static func parameters(
        _ text: Substring, of name: String
    ) throws(QueryFault) -> [(name: String, value: String)] {
        var output: [(name: String, value: String)] = []
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Authors write `+` and `%` unencoded.
            let (key, value) = (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
            let isEmpty = value.split(separator: ",").allSatisfy { part in
                part.allSatisfy(\.isWhitespace) || part.hasSuffix("/") && RecordType.isHeld(String(part.dropLast()))
            }
            guard !isEmpty, !key.isEmpty else {
                throw QueryFault(
                    code: "query-value-missing", name: name,
                    message: "The parameter \(ParameterName.shown(key)) has no value.")
            }
            output.append((key, value))
        }
        return output
    }

    private static func decoded(_ text: Substring) -> String { PercentEncoding.decode(text) ?? String(text) }

    // MARK: Result

    func result() throws(QueryFault) -> Resource? {
        guard let query else {
            return resources.byAddress[path.joined(separator: "/")].map { Resource(resources.records[$0].resource) }
        }
        guard query.conditions.allSatisfy({ !$0.needsTerminology }) else {
            throw QueryFault(
                code: "modifier-unsupported", name: name, message: "The search needs a terminology service.")
        }
        var found: [Int] = []
        for part in query.parts {
            var matches = Set(resources.byType[part.type] ?? [])
            for criterion in part.criteria { matches.formIntersection(self.matches(criterion, of: part.type)) }
            found += matches.sorted()
        }
        let keys = Dictionary(uniqueKeysWithValues: found.map { ($0, sortKeys($0, query.order)) })
        found.sort { comes($0, before: $1, keys: keys, in: query.order) }
        var bundle = FHIR.Bundle(type: .searchset)
        bundle.object["total"] = .number(JSONNumber(found.count))
        let page = query.isCountOnly ? [] : Array(found.prefix(min(query.count, resources.limits.resources)))
        let entries =
            page.map { entry($0, "match") } + included(with: page, query.includes).map { entry($0, "include") }
        if !entries.isEmpty { bundle.object["entry"] = .array(entries) }
        return Resource(bundle.object)
    }

    private func entry(_ index: Int, _ mode: String) -> JSON {
        let record = resources.records[index]
        var entry = JSONObject()
        if let address = record.address { entry["fullUrl"] = .string(address) }
        entry["resource"] = .object(record.resource)
        entry["search"] = ["mode": .string(mode)]
        return .object(entry)
    }

    // MARK: Criteria

    /// Returns the records of a type that meet a criterion.
    private func matches(_ criterion: SearchCriterion, of type: String) -> Set<Int> {
        let candidates = resources.byType[type] ?? []
        switch criterion {
        case .condition(let condition):
            return Set(candidates.filter { condition.matches(resources.records[$0].values) })
        case .any(let parts):
            return parts.reduce(into: []) { $0.formUnion(matches($1, of: type)) }
        case .chain(let chain):
            let targets = chain.targets.reduce(into: Set<Int>()) { $0.formUnion(matches($1.criterion, of: $1.type)) }
            guard !targets.isEmpty else { return [] }
            return Set(candidates.filter { !targets.isDisjoint(with: references($0, [chain.parameter])) })
        case .reverse(let reverse):
            let sources = matches(reverse.criterion, of: reverse.source)
            let targets = sources.reduce(into: Set<Int>()) { $0.formUnion(references($1, [reverse.parameter])) }
            return targets.intersection(candidates)
        }
    }

    /// Returns the records to which parameters of a record refer.
    private func references(_ index: Int, _ parameters: [String]) -> [Int] {
        let values = resources.records[index].values
        return parameters.flatMap { parameter in
            values[parameter].compactMap { value -> Int? in
                guard case .reference(let reference) = value else { return nil }
                if let type = reference.type, let id = reference.id {
                    if let base = reference.base, !resources.bases.contains(base) { return nil }
                    return resources.byAddress["\(type)/\(id)"]
                }
                return reference.url.flatMap { resources.byAddress[$0] }
            }
        }
    }

    private func included(with page: [Int], _ includes: [SearchInclude]) -> [Int] {
        var seen = Set(page)
        var output: [Int] = []
        var latest = page
        var asked = includes
        while !latest.isEmpty, !asked.isEmpty, output.count < resources.limits.resources {
            var next: [Int] = []
            for include in asked {
                let found =
                    include.direction == .forward
                    ? latest.flatMap { targets($0, include) } : sources(of: Set(latest), include)
                for index in found where seen.insert(index).inserted { next.append(index) }
            }
            output += next
            latest = next
            asked = includes.filter(\.isIterated)
        }
        return Array(output.prefix(resources.limits.resources))
    }

    private func targets(_ index: Int, _ include: SearchInclude) -> [Int] {
        references(index, include.parameters(of: resources.records[index].type)).filter { target in
            include.target.map { $0 == resources.records[target].type } ?? true
        }
    }

    private func sources(of targets: Set<Int>, _ include: SearchInclude) -> [Int] {
        let candidates = include.source.map { resources.byType[$0] ?? [] } ?? Array(resources.records.indices)
        return candidates.filter { !targets.isDisjoint(with: self.targets($0, include)) }
    }

    // MARK: Order

    private enum SortKey {
        case none
        case number(Double)
        case text(String)

        static func isLess(_ left: SortKey, _ right: SortKey) -> Bool {
            switch (left, right) {
            case (.number(let left), .number(let right)): left < right
            case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
            default: false
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    private func sortKeys(_ index: Int, _ order: SearchOrder) -> [SortKey] {
        let record = resources.records[index]
        return order.keys.map { key in
            let keys = record.values[SearchAlias.published(key.code, of: record.type)].compactMap(Self.sortKey)
            let best = key.isDescending ? keys.max(by: SortKey.isLess) : keys.min(by: SortKey.isLess)
            return best ?? .none
        }
    }

    private static func sortKey(_ value: SearchValue) -> SortKey? {
        switch value {
        case .token(let token): token.code.map { .text($0) }
        case .string(let string): .text(string.folded)
        case .date(let period): .number(Double(period.low))
        case .number(let number): .number(number.low?.double ?? -.infinity)
        case .quantity(let quantity): .number(quantity.number.low?.double ?? -.infinity)
        case .reference(let reference): (reference.id ?? reference.url).map { .text("\(reference.type ?? "")/\($0)") }
        case .uri(let uri): .text(uri)
        case .composite: nil
        }
    }

    private func comes(_ left: Int, before right: Int, keys: [Int: [SortKey]], in order: SearchOrder) -> Bool {
        for (number, key) in order.keys.enumerated() {
            guard let own = keys[left]?[number], let other = keys[right]?[number] else { continue }
            if own.isNone || other.isNone {
                if own.isNone && other.isNone { continue }
                return other.isNone
            }
            if SortKey.isLess(own, other) { return !key.isDescending }
            if SortKey.isLess(other, own) { return key.isDescending }
        }
        return left < right
    }
}
