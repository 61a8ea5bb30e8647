import FHIR

/// Reads the parameters of a search.
struct SearchQueryReader {
    private let scope: SearchQuery.Scope
    private let context: SearchCondition.Context
    private let isStrict: Bool
    private var types: [String] = []
    private var readers: [SearchCriterionReader] = []
    private var criteria: [[SearchCriterion]] = []
    private var cursor: String?
    private var elements: [String] = []
    private(set) var order = SearchOrder.none
    private(set) var includes: [SearchInclude] = []
    private(set) var count = SearchQuery.standardCount
    private(set) var isCountOnly = false
    private(set) var total: SearchQuery.Total?
    private(set) var subset: ResourceSubset?
    private(set) var used: [(name: String, value: String)] = []
    private(set) var isOfAll = true
    /// The unknown parameters that were ignored, without duplicates.
    private(set) var ignored: [String] = []

    init(_ scope: SearchQuery.Scope, context: SearchCondition.Context, isStrict: Bool) {
        self.scope = scope
        self.context = context
        self.isStrict = isStrict
    }

    var parts: [SearchQuery.Part] {
        zip(types, criteria).map { SearchQuery.Part(type: $0, criteria: $1) }
    }

    /// The cursor of the previous page.
    var after: PageCursor? {
        get throws {
            guard let cursor else { return nil }
            let kinds = types.first.map { order.kinds(of: $0) } ?? []
            guard let parsed = PageCursor(cursor, kinds: kinds) else {
                throw SearchConditionError.invalid("_cursor", "a page's own link")
            }
            return parsed
        }
    }

    /// - Throws: ``SearchConditionError``; `compartment-unknown` for a compartment without the type.
    mutating func read(_ parameters: [(name: String, value: String)]) throws {
        try readTypes(parameters)
        for (name, value) in parameters where !value.isEmpty {
            // SQLite accepts no text with a zero byte, and no stored text has one.
            guard !name.utf8.contains(0), !value.utf8.contains(0) else {
                throw SearchConditionError.invalid("A search value", "without zero bytes")
            }
            if try readControl(name, value) { continue }
            if let include = try SearchInclude(name, value) {
                if !includes.contains(include) { includes.append(include) }
                guard includes.count <= SearchInclude.maximumCount else {
                    throw SearchConditionError.tooMany("_include", SearchInclude.maximumCount)
                }
                used.append((name, value))
                continue
            }
            // A parameter without a value is skipped.
            guard SearchText.split(value, at: ",").contains(where: { !$0.isEmpty }) else { continue }
            do throws(SearchConditionError) {
                try readCriterion(name, value)
                used.append((name, value))
            } catch {
                // An unknown modifier is always an error: without it the parameter would find other records.
                guard error.isOfParameter else { throw error }
                try ignore(name)
            }
        }
        if !elements.isEmpty {
            guard subset == nil else { throw SearchConditionError.summaryAndElements }
            subset = .elements(try ElementSubset(elements.joined(separator: ",")))
        }
    }

    /// Ignores an unknown parameter, as with `Prefer: handling=lenient`, which is the default.
    private mutating func ignore(_ name: String) throws(SearchConditionError) {
        guard !isStrict else { throw .unknownParameter(name, of: types) }
        if !ignored.contains(name) { ignored.append(name) }
    }

    // MARK: Types

    private mutating func readTypes(_ parameters: [(name: String, value: String)]) throws {
        var possible: [String]
        switch scope {
        case .type(let type): possible = [type]
        case .system: possible = RecordType.all
        case .compartment(let compartment, nil): possible = compartment.types
        case .compartment(let compartment, let type?):
            guard compartment.types.contains(type) else { throw SearchConditionError.compartmentUnknown }
            possible = [type]
        }
        for (name, value) in parameters where name == "_type" && isOfSeveral && !value.isEmpty {
            let named = Set(value.split(separator: ",").map(String.init))
            guard named.allSatisfy(RecordType.isHeld) else {
                throw SearchConditionError.invalid("_type", "names of resource types, with commas")
            }
            possible.removeAll { !named.contains($0) }
            used.append((name, value))
        }
        types = possible
        readers = Array(repeating: SearchCriterionReader(in: context), count: possible.count)
        criteria = Array(repeating: [], count: possible.count)
        guard case .compartment(let compartment, _) = scope else { return }
        for index in types.indices {
            if let criterion = try readers[index].read(compartment, of: types[index]) {
                criteria[index].append(criterion)
            }
        }
    }

    // MARK: Criteria

    /// - Throws: ``SearchConditionError``; `parameter-unknown` where none of the types has the parameter,
    ///   `parameter-not-common` where some have it.
    private mutating func readCriterion(_ name: String, _ value: String) throws(SearchConditionError) {
        var read: [SearchCriterion] = []
        var readers = readers
        var unknown: SearchConditionError?
        for index in types.indices {
            do throws(SearchConditionError) {
                read.append(try readers[index].read(name, value: value, of: types[index]))
            } catch {
                guard error.isOfParameter else { throw error }
                unknown = error
            }
            if unknown != nil, !read.isEmpty { throw .parameterNotCommon(name) }
        }
        if let unknown { throw unknown }
        self.readers = readers
        for index in types.indices { criteria[index].append(read[index]) }
        isOfAll = false
    }

    // MARK: Result parameters

    /// Reads a result parameter; false where it is not one.
    private mutating func readControl(_ name: String, _ value: String) throws -> Bool {
        switch name {
        case "_count":
            guard let number = Int(value), number >= 0 else { throw SearchConditionError.invalid("_count", "a number") }
            count = min(number, SearchQuery.maximumCount)
        case "_cursor":
            cursor = value
            return true
        case "_sort":
            do throws(SearchConditionError) {
                let more = try SearchOrder(value, of: types)
                order = SearchOrder(keys: order.keys + more.keys.filter { !order.keys.contains($0) })
                guard order.keys.count <= SearchOrder.maximumKeys else { throw .tooManyKeys(SearchOrder.maximumKeys) }
            } catch {
                guard error.isOfParameter else { throw error }
                try ignore("_sort")
                return true
            }
        case "_summary":
            switch value {
            case "true": subset = .summary
            case "text": subset = .text
            case "data": subset = .data
            case "count": isCountOnly = true
            case "false": subset = nil
            default: throw SearchConditionError.invalid("_summary", "true, text, data, count or false")
            }
        case "_elements": elements.append(value)
        case "_total":
            guard let known = SearchQuery.Total(rawValue: value) else {
                throw SearchConditionError.invalid("_total", "none, estimate or accurate")
            }
            total = known
        case "_contained":
            // Contained resources are found only through their container.
            guard value == "false" else { throw SearchConditionError.invalid("_contained", "false") }
        case "_type":
            // It is read already; a search of one type ignores it.
            if !isOfSeveral { try ignore("_type") }
            return true
        case "_format", "_pretty": return true
        default: return false
        }
        used.append((name, value))
        return true
    }

    /// Whether `_type` may select the types.
    private var isOfSeveral: Bool {
        switch scope {
        case .type, .compartment(_, _?): false
        case .system, .compartment(_, nil): true
        }
    }
}

extension SearchConditionError {
    static let textWithIncludes = SearchConditionError(
        code: "parameter-invalid", message: "_summary=text includes no other resources; remove _include.")
    static let summaryAndElements = SearchConditionError(
        code: "parameter-invalid", message: "_elements and _summary select different parts; remove one of them.")

    /// Whether a parameter is unknown, which lenient handling ignores.
    var isOfParameter: Bool { code == "parameter-unknown" }
}
