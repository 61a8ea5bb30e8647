import FHIR
import Foundation

extension Evaluator {
    /// One call. Arguments that are evaluated once see what `$this` is; criteria and projections see each item.
    mutating func call(
        _ function: FHIRPathFunction, _ input: [FHIRPathValue], _ arguments: [ExpressionNode],
        _ focus: [FHIRPathValue], _ scope: inout Scope, _ place: FHIRPathPlace
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        switch function {
        // Existence
        case .empty: return [.boolean(input.isEmpty)]
        case .exists:
            guard let criterion = arguments.first else { return [.boolean(!input.isEmpty)] }
            for (index, item) in input.enumerated()
            where try self.criterion(criterion, item, index, scope, "exists()") { return [.boolean(true)] }
            return [.boolean(false)]
        case .all:
            for (index, item) in input.enumerated()
            where try !self.criterion(arguments[0], item, index, scope, "all()") { return [.boolean(false)] }
            return [.boolean(true)]
        case .allTrue: return [.boolean(try booleans(input, "allTrue()").allSatisfy { $0 })]
        case .anyTrue: return [.boolean(try booleans(input, "anyTrue()").contains(true))]
        case .allFalse: return [.boolean(try booleans(input, "allFalse()").allSatisfy { !$0 })]
        case .anyFalse: return [.boolean(try booleans(input, "anyFalse()").contains(false))]
        case .subsetOf: return [.boolean(try isSubset(input, try argument(arguments[0], scope)))]
        case .supersetOf: return [.boolean(try isSubset(try argument(arguments[0], scope), input))]
        case .count: return [.integer(input.count)]
        case .distinct: return try distinct(input)
        case .isDistinct: return [.boolean(try distinct(input).count == input.count)]
        case .not:
            guard let truth = try boolean(input, "not()") else { return [] }
            return [.boolean(!truth)]

        // Filtering and projection
        case .where:
            var output: [FHIRPathValue] = []
            for (index, item) in input.enumerated()
            where try criterion(arguments[0], item, index, scope, "where()") { output.append(item) }
            return output
        case .select:
            var output: [FHIRPathValue] = []
            for (index, item) in input.enumerated() {
                output += try project(arguments[0], item, index, scope)
                _ = try bounded(output)
            }
            return output
        case .repeat: return try repeated(input, arguments[0], scope, isDistinct: true)
        case .repeatAll: return try repeated(input, arguments[0], scope, isDistinct: false)
        case .ofType:
            guard case .type(let type) = arguments[0] else { return [] }
            try TypeMatch.require(type)
            var output: [FHIRPathValue] = []
            for item in input where try TypeMatch.matches(item, type, isExact: true) { output.append(item) }
            return output
        case .coalesce:
            for node in arguments {
                let value = try argument(node, scope)
                if !value.isEmpty { return value }
            }
            return []

        // Subsetting
        case .single:
            guard input.count <= 1 else { throw .several("single()") }
            return input
        case .first: return Array(input.prefix(1))
        case .last: return Array(input.suffix(1))
        case .tail: return Array(input.dropFirst())
        case .skip:
            guard let count = try integer(try argument(arguments[0], scope), "skip()") else { return [] }
            return Array(input.dropFirst(max(0, count)))
        case .take:
            guard let count = try integer(try argument(arguments[0], scope), "take()") else { return [] }
            return Array(input.prefix(max(0, count)))
        case .intersect:
            let other = try index(try argument(arguments[0], scope))
            return try filtered(try distinct(input), other, keeping: true)
        case .exclude:
            let other = try index(try argument(arguments[0], scope))
            return try filtered(input, other, keeping: false)

        // Combining
        case .union: return try bounded(try distinct(input + (try argument(arguments[0], scope))))
        case .combine:
            // The order is always kept, which the second argument would ask for.
            if arguments.count == 2 { _ = try boolean(try argument(arguments[1], scope), "combine()") }
            return try bounded(input + (try argument(arguments[0], scope)))

        // Utility
        case .iif: return try iif(input, arguments, scope)
        case .trace:
            guard let name = try string(try argument(arguments[0], scope), "trace()") else { return input }
            if let trace = context.trace {
                var shown = input
                if arguments.count == 2 {
                    shown = []
                    for (index, item) in input.enumerated() { shown += try project(arguments[1], item, index, scope) }
                }
                trace(name, shown)
            }
            return input
        case .defineVariable: return try defineVariable(input, arguments, &scope)
        case .aggregate:
            var total = arguments.count == 2 ? try argument(arguments[1], scope) : []
            for (index, item) in input.enumerated() {
                var inner = scope
                inner.this = [item]
                inner.index = index
                inner.total = total
                total = try bounded(try evaluate(arguments[0], [item], &inner))
            }
            return total
        case .sort: return try sorted(input, arguments, scope)
        case .is:
            guard case .type(let type) = arguments[0] else { return [] }
            guard input.count <= 1 else { throw .several("is()") }
            try TypeMatch.require(type)
            guard let item = input.first else { return [] }
            return [.boolean(try TypeMatch.matches(item, type))]
        case .as:
            guard case .type(let type) = arguments[0] else { return [] }
            return try cast(input, type)
        case .type: return input.map(TypeMatch.info)
        case .children:
            try spend(input.count)
            return try bounded(input.flatMap(Evaluator.children))
        case .descendants: return try descendants(input)
        case .now, .today, .timeOfDay: return [.temporal(clock(function))]
        default:
            if let result = try conversion(function, input, arguments, scope) { return result }
            if let result = try text(function, input, arguments, scope) { return result }
            if let result = try math(function, input, arguments, scope) { return result }
            return try fhir(function, input, arguments, scope, place)
        }
    }

    /// An argument that is evaluated once: on what `$this` is.
    mutating func argument(_ node: ExpressionNode, _ scope: Scope) throws(FHIRPathError) -> [FHIRPathValue] {
        var inner = scope
        return try evaluate(node, scope.this, &inner)
    }

    mutating func project(
        _ node: ExpressionNode, _ item: FHIRPathValue, _ index: Int, _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var inner = scope
        inner.this = [item]
        inner.index = index
        return try evaluate(node, [item], &inner)
    }

    private func booleans(_ input: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> [Bool] {
        var output: [Bool] = []
        for item in input {
            guard case .boolean(let value) = item.system else {
                throw .execution("boolean-expected", "\(name) works on booleans, not on a \(item.typeName).")
            }
            output.append(value)
        }
        return output
    }

    private mutating func index(_ values: [FHIRPathValue]) throws(FHIRPathError) -> DistinctValues {
        var set = DistinctValues()
        for value in values { try spend(1 + set.insert(value)) }
        return set
    }

    private mutating func filtered(
        _ values: [FHIRPathValue], _ other: DistinctValues, keeping: Bool
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var other = other
        var output: [FHIRPathValue] = []
        for value in values {
            try spend()
            if other.contains(value) == keeping { output.append(value) }
        }
        return output
    }

    private mutating func isSubset(_ values: [FHIRPathValue], _ other: [FHIRPathValue]) throws(FHIRPathError) -> Bool {
        let set = try index(other)
        return try filtered(values, set, keeping: false).isEmpty
    }

    private mutating func iif(
        _ input: [FHIRPathValue], _ arguments: [ExpressionNode], _ scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        guard input.count <= 1 else { throw .several("iif()") }
        var inner = scope
        if let item = input.first { inner.this = [item] }
        let criterion = try branch(arguments[0], inner.this, inner)
        guard criterion.count <= 1 else {
            throw .semantic("boolean-expected", "The criterion of iif() is one boolean, not several items.")
        }
        var truth = false
        if let value = criterion.first {
            guard case .boolean(let found) = value.system else {
                throw .semantic("boolean-expected", "The criterion of iif() is a boolean, not a \(value.typeName).")
            }
            truth = found
        }
        if truth { return try branch(arguments[1], inner.this, inner) }
        return arguments.count == 3 ? try branch(arguments[2], inner.this, inner) : []
    }

    private mutating func defineVariable(
        _ input: [FHIRPathValue], _ arguments: [ExpressionNode], _ scope: inout Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        guard let name = try string(try argument(arguments[0], scope), "defineVariable()"), !name.isEmpty else {
            throw .execution("variable-name", "defineVariable() needs a name.")
        }
        let reserved: Set<String> = ["context", "resource", "rootResource", "ucum", "sct", "loinc"]
        guard !reserved.contains(name), scope.variables[name] == nil, context.variables[name] == nil else {
            throw .execution(
                "variable-defined", "defineVariable() cannot name what has the name already: choose another.")
        }
        var value = input
        if arguments.count == 2 {
            var inner = scope
            inner.this = input
            value = try evaluate(arguments[1], input, &inner)
        }
        scope.variables[name] = value
        return input
    }

    // MARK: The tree

    static func children(_ value: FHIRPathValue) -> [FHIRPathValue] {
        guard case .element(let element) = value else { return [] }
        return element.children().map(FHIRPathValue.element)
    }

    private mutating func descendants(_ input: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        var output: [FHIRPathValue] = []
        var level = input
        while !level.isEmpty {
            level = level.flatMap(Evaluator.children)
            try spend(level.count)
            output += level
            _ = try bounded(output)
        }
        return output
    }

    /// Projects again and again what is new. An item that came before ends the search there.
    private mutating func repeated(
        _ input: [FHIRPathValue], _ node: ExpressionNode, _ scope: Scope, isDistinct: Bool
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var seen = DistinctValues()
        var output: [FHIRPathValue] = []
        var open = input
        while !open.isEmpty {
            var next: [FHIRPathValue] = []
            for (index, item) in open.enumerated() {
                for found in try project(node, item, index, scope) {
                    try spend()
                    if isDistinct {
                        let before = seen.values.count
                        try spend(seen.insert(found))
                        guard seen.values.count > before else { continue }
                    }
                    output.append(found)
                    next.append(found)
                }
                _ = try bounded(output)
            }
            open = next
        }
        return output
    }

    // MARK: The clock

    private func clock(_ function: FHIRPathFunction) -> TemporalValue {
        let text = DateTime(context.now, offsetMinutes: context.offsetMinutes).text
        guard let now = TemporalValue(dateTime: text) else {
            return TemporalValue(kind: .dateTime, precision: .year, year: 1970)
        }
        switch function {
        case .today: return TemporalValue(kind: .date, precision: .day, year: now.year, month: now.month, day: now.day)
        case .timeOfDay:
            return TemporalValue(
                kind: .time, precision: .second, hour: now.hour, minute: now.minute, second: now.second,
                nanosecond: now.nanosecond, fractionDigits: now.fractionDigits)
        default: return now
        }
    }
}
