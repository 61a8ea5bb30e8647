import FHIR

/// Reads the criteria of one search, and counts their steps and values.
package struct SearchCriterionReader {
    package let context: SearchCondition.Context
    /// The number of followed references, each to one type.
    package private(set) var steps = 0
    /// The number of values.
    package private(set) var alternatives = 0

    /// Maximum number of references in one chain.
    package static let deepest = 5
    /// Maximum number of references in a search; each is a subquery.
    package static let maximumSteps = 200
    /// Maximum number of values in a search, because of the limits of an SQL statement.
    static let maximumAlternatives = 500

    package init(in context: SearchCondition.Context) { self.context = context }

    /// Reads a criterion: `name` is a parameter with its modifier, a chain, or `_has`.
    ///
    /// - Throws: ``SearchConditionError``.
    package mutating func read(
        _ name: String, value: String, of type: String
    ) throws(SearchConditionError) -> SearchCriterion {
        try read(name, value: value, type: type, depth: 0)
    }

    /// Returns the criterion that a record belongs to a compartment; nil for a type without resources in it.
    ///
    /// - Throws: ``SearchConditionError``.
    package mutating func read(
        _ compartment: SearchCompartment, of type: String
    ) throws(SearchConditionError) -> SearchCriterion? {
        var parts: [SearchCriterion] = []
        for code in compartment.parameters(of: type) {
            parts.append(try condition(code, value: compartment.type + "/" + compartment.id, type: type))
        }
        if type == compartment.type { parts.append(try condition("_id", value: compartment.id, type: type)) }
        return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func read(
        _ name: String, value: String, type: String, depth: Int
    ) throws(SearchConditionError) -> SearchCriterion {
        if name.hasPrefix("_has:") { return try reverse(name, value: value, type: type, depth: depth) }
        guard let point = name.firstIndex(of: ".") else { return try condition(name, value: value, type: type) }
        return try chain(
            name[..<point], rest: String(name[name.index(after: point)...]), value: value, type: type, depth: depth)
    }

    private mutating func condition(
        _ name: String, value: String, type: String
    ) throws(SearchConditionError) -> SearchCriterion {
        let condition = try SearchCondition(SearchAlias.published(name, of: type), value: value, of: type, in: context)
        alternatives += condition.alternatives.count
        guard alternatives <= Self.maximumAlternatives else { throw .tooManyInAll(Self.maximumAlternatives) }
        return .condition(condition)
    }

    private mutating func step(_ depth: Int) throws(SearchConditionError) {
        steps += 1
        guard depth < Self.deepest else { throw .tooDeep(Self.deepest) }
        guard steps <= Self.maximumSteps else { throw .tooManySteps }
    }

    // MARK: Chains

    private mutating func chain(
        _ head: Substring, rest: String, value: String, type: String, depth: Int
    ) throws(SearchConditionError) -> SearchCriterion {
        let parts = head.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let parameter = Self.parameter(parts[0], of: type) else { throw .unknownParameter(type) }
        guard parameter.kind == .reference else { throw .noReference(parameter.code) }
        var types = parameter.targets
        if parts.count > 1 {
            guard RecordType.isHeld(parts[1]), types.isEmpty || types.contains(parts[1]) else {
                throw .noTarget(parameter.code)
            }
            types = [parts[1]]
        }
        var targets: [SearchCriterion.Chain.Target] = []
        var unknown: SearchConditionError?
        for target in types where RecordType.isHeld(target) {
            try step(depth)
            do throws(SearchConditionError) {
                let criterion = try read(rest, value: value, type: target, depth: depth + 1)
                targets.append(SearchCriterion.Chain.Target(type: target, criterion: criterion))
            } catch {
                // Only those of the possible target types that have the parameter are searched.
                guard types.count > 1, error.isOfName else { throw error }
                steps -= 1
                unknown = unknown ?? error
            }
        }
        guard !targets.isEmpty else { throw unknown ?? .noTarget(parameter.code) }
        return .chain(SearchCriterion.Chain(type: type, parameter: parameter.code, targets: targets))
    }

    private mutating func reverse(
        _ name: String, value: String, type: String, depth: Int
    ) throws(SearchConditionError) -> SearchCriterion {
        let parts = name.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, RecordType.isHeld(parts[1]), !parts[3].isEmpty else { throw .reverseUnknown }
        guard let parameter = Self.parameter(parts[2], of: parts[1]) else { throw .unknownParameter(parts[1]) }
        guard parameter.kind == .reference else { throw .noReference(parameter.code) }
        guard parameter.targets.isEmpty || parameter.targets.contains(type) else { throw .noTarget(parameter.code) }
        try step(depth)
        return .reverse(
            SearchCriterion.Reverse(
                type: type, source: parts[1], parameter: parameter.code,
                criterion: try read(parts[3], value: value, type: parts[1], depth: depth + 1)))
    }

    /// Returns the parameter of a type with a code; nil where it is unknown or cannot be searched.
    package static func parameter(_ code: String, of type: String) -> SearchParameterTable.Parameter? {
        guard let tree = ParameterPathTrie.of(type), let index = tree.index(of: code) else { return nil }
        return tree.parameters[index]
    }
}

/// Aliases of parameters.
package enum SearchAlias {
    /// Returns R4's name of a parameter. `date` is an alias in types whose time parameter has another name.
    package static func published(_ name: String, of type: String) -> String {
        let own = SearchLayout.timeParameter(of: type)
        guard own != "date", name == "date" || name.hasPrefix("date:"),
            ParameterPathTrie.of(type)?.index(of: own) != nil
        else { return name }
        return own + name.dropFirst("date".count)
    }
}
