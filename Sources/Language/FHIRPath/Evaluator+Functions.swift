import FHIR
import Foundation

extension Evaluator {
    /// Evaluates a call. Arguments that are evaluated once have the present `$this`; criteria and projections are
    /// evaluated for each item.
    mutating func call(
        _ function: FHIRPathFunction, on input: Items, arguments: [ExpressionNode], in scope: Scope,
        at location: SourceLocation
    ) throws(FHIRPathError) -> Items {
        switch function.group {
        case .collection: break
        case .conversion: return try conversion(function, on: input, arguments: arguments, in: scope)
        case .text: return try text(function, on: input, arguments: arguments, in: scope)
        case .math: return try math(function, on: input, arguments: arguments, in: scope)
        case .fhir: return try fhir(function, on: input, arguments: arguments, in: scope, at: location)
        }
        switch function {
        // Existence
        case .empty: return .truth(input.isEmpty)
        case .exists:
            guard let node = arguments.first else { return .truth(!input.isEmpty) }
            return .truth(try find(in: input, matching: node, scope: scope, name: "exists()", isWanted: true))
        case .all:
            return .truth(
                !(try find(in: input, matching: arguments[0], scope: scope, name: "all()", isWanted: false)))
        case .count: return .one(.integer(input.count))
        case .not:
            guard let truth = try boolean(input, "not()") else { return .empty }
            return .truth(!truth)

        // Filtering and projection
        case .where: return try filtered(input, by: arguments[0], in: scope)
        case .select: return try selected(input, by: arguments[0], in: scope)
        case .ofType:
            guard case .type(let type) = arguments[0] else { return .empty }
            return try typed(input, type)
        case .coalesce:
            for node in arguments {
                let value = try argument(node, scope)
                if !value.isEmpty { return value }
            }
            return .empty

        // Subsetting
        case .single:
            guard !input.isSeveral else { throw .several("single()") }
            return input
        case .first: return input.first.map { .one($0) } ?? .empty
        case .last: return input.last.map { .one($0) } ?? .empty

        // Types and the rest
        case .is:
            guard case .type(let type) = arguments[0] else { return .empty }
            return try isOf(input, type: type, name: "is()")
        case .as:
            guard case .type(let type) = arguments[0] else { return .empty }
            return try cast(input, type)
        case .iif: return try iif(input, arguments: arguments, in: scope)
        case .defineVariable: return try defineVariable(input, arguments: arguments, in: scope)
        case .aggregate: return try aggregated(input, arguments: arguments, in: scope)
        case .now, .today, .timeOfDay: return .one(.temporal(clock(function)))
        default: return Items(try callOnArray(function, on: input.array, arguments: arguments, in: scope))
        }
    }

    /// Evaluates functions of the collection as a whole.
    private mutating func callOnArray(
        _ function: FHIRPathFunction, on input: [FHIRPathValue], arguments: [ExpressionNode],
        in scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        try spend(input.count / Evaluator.bytesPerStep)
        switch function {
        case .allTrue: return [.boolean(try booleans(input, "allTrue()").allSatisfy { $0 })]
        case .anyTrue: return [.boolean(try booleans(input, "anyTrue()").contains(true))]
        case .allFalse: return [.boolean(try booleans(input, "allFalse()").allSatisfy { !$0 })]
        case .anyFalse: return [.boolean(try booleans(input, "anyFalse()").contains(false))]
        case .subsetOf: return [.boolean(try isSubset(input, try argument(arguments[0], scope).array))]
        case .supersetOf:
            return [.boolean(try isSubset(try argument(arguments[0], scope).array, input))]
        case .distinct: return try distinct(input)
        case .isDistinct: return [.boolean(try distinct(input).count == input.count)]
        case .repeat: return try repeated(input, by: arguments[0], in: scope, isDistinct: true)
        case .repeatAll: return try repeated(input, by: arguments[0], in: scope, isDistinct: false)
        case .tail: return Array(input.dropFirst())
        case .skip:
            guard let count = try integer(try argument(arguments[0], scope), "skip()") else { return [] }
            return Array(input.dropFirst(max(0, count)))
        case .take:
            guard let count = try integer(try argument(arguments[0], scope), "take()") else { return [] }
            return Array(input.prefix(max(0, count)))
        case .intersect:
            let other = try index(try argument(arguments[0], scope).array)
            return try filtered(try distinct(input), other, keeping: true)
        case .exclude:
            let other = try index(try argument(arguments[0], scope).array)
            return try filtered(input, other, keeping: false)
        case .union: return try bounded(try distinct(input + (try argument(arguments[0], scope).array)))
        case .combine:
            // The order is always preserved, which the second argument can request.
            if arguments.count == 2 { _ = try boolean(try argument(arguments[1], scope), "combine()") }
            return try bounded(input + (try argument(arguments[0], scope).array))
        case .trace:
            guard let name = try string(try argument(arguments[0], scope), "trace()") else {
                return input
            }
            if let trace = context.trace {
                let shown =
                    arguments.count == 2 ? try selected(Items(input), by: arguments[1], in: scope).array : input
                trace(name, shown)
            }
            return input
        case .sort: return try sorted(input, arguments: arguments, in: scope)
        case .type: return input.map(TypeMatch.info)
        case .children: return try children(of: input)
        case .descendants: return try descendants(input)
        default: return []
        }
    }

    // MARK: Item by item

    /// Whether the criterion has the wanted value for any item.
    private mutating func find(
        in input: Items, matching node: ExpressionNode, scope: Scope, name: @autoclosure () -> String,
        isWanted: Bool
    ) throws(FHIRPathError) -> Bool {
        switch input {
        case .empty: return false
        case .one(let item): return try criterion(node, on: item, index: 0, in: scope, name: name()) == isWanted
        case .many(let values):
            for (index, item) in values.enumerated()
            where try criterion(node, on: item, index: index, in: scope, name: name()) == isWanted { return true }
            return false
        }
    }

    private mutating func filtered(
        _ input: Items, by node: ExpressionNode, in scope: Scope
    ) throws(FHIRPathError) -> Items {
        switch input {
        case .empty: return .empty
        case .one(let item):
            return try criterion(node, on: item, index: 0, in: scope, name: "where()") ? input : .empty
        case .many(let values):
            var output = Items.empty
            for (index, item) in values.enumerated()
            where try criterion(node, on: item, index: index, in: scope, name: "where()") { output.append(item) }
            return output
        }
    }

    private mutating func selected(
        _ input: Items, by node: ExpressionNode, in scope: Scope
    ) throws(FHIRPathError) -> Items {
        switch input {
        case .empty: return .empty
        case .one(let item): return try project(node, on: item, index: 0, in: scope)
        case .many(let values):
            var output = Items.empty
            for (index, item) in values.enumerated() {
                output.append(try project(node, on: item, index: index, in: scope))
                if output.count > context.limits.items { _ = try bounded(output.array) }
            }
            return output
        }
    }

    private func typed(_ input: Items, _ type: TypeSpecifier) throws(FHIRPathError) -> Items {
        try TypeMatch.require(type)
        switch input {
        case .empty: return .empty
        case .one(let item): return try TypeMatch.matches(item, type, isExact: true) ? input : .empty
        case .many(let values):
            var output = Items.empty
            for item in values where try TypeMatch.matches(item, type, isExact: true) {
                output.append(item)
            }
            return output
        }
    }

    private mutating func aggregated(
        _ input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        var inner = scope
        inner.total = arguments.count == 2 ? try argument(arguments[1], scope) : .empty
        for (index, item) in input.array.enumerated() {
            inner.total = try project(arguments[0], on: item, index: index, in: inner)
            if case .many(let values)? = inner.total { _ = try bounded(values) }
        }
        return inner.total ?? .empty
    }

    /// Evaluates an argument once, with the present `$this` as focus.
    mutating func argument(_ node: ExpressionNode, _ scope: Scope) throws(FHIRPathError) -> Items {
        try branch(node, on: scope.this, in: scope)
    }

    mutating func project(
        _ node: ExpressionNode, on item: FHIRPathValue, index: Int, in scope: Scope
    ) throws(FHIRPathError) -> Items {
        let focus = Items.one(item)
        return try branch(node, on: focus, in: Scope(this: focus, index: index, total: scope.total))
    }

    private func booleans(_ input: [FHIRPathValue], _ name: String) throws(FHIRPathError) -> [Bool] {
        var output: [Bool] = []
        for item in input {
            guard case .boolean(let value) = item.system else {
                throw .execution(
                    "boolean-expected", "\(name) works on booleans, not on a \(item.typeName).")
            }
            output.append(value)
        }
        return output
    }

    private mutating func index(_ values: [FHIRPathValue]) throws(FHIRPathError) -> DistinctValues {
        var set = DistinctValues()
        for value in values {
            let bytes = value.byteCount
            try spend(bytes: bytes)
            let compared = set.insert(value)
            try spend(bytes: compared * bytes)
        }
        return set
    }

    private mutating func filtered(
        _ values: [FHIRPathValue], _ other: DistinctValues, keeping: Bool
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var output: [FHIRPathValue] = []
        for value in values {
            try spend(bytes: value.byteCount)
            if other.contains(value) == keeping { output.append(value) }
        }
        return output
    }

    private mutating func isSubset(_ values: [FHIRPathValue], _ other: [FHIRPathValue])
        throws(FHIRPathError) -> Bool
    {
        let set = try index(other)
        return try filtered(values, set, keeping: false).isEmpty
    }

    private mutating func iif(
        _ input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        guard !input.isSeveral else { throw .several("iif()") }
        var inner = scope
        // Also if there is no item: `empty()` is then true.
        inner.this = input
        let criterion = try branch(arguments[0], on: inner.this, in: inner)
        var truth = false
        switch criterion {
        case .empty: break
        case .one(let value):
            guard case .boolean(let found) = value.system else {
                throw .semantic(
                    "boolean-expected", "The criterion of iif() is a boolean, not a \(value.typeName).")
            }
            truth = found
        case .many:
            throw .semantic(
                "boolean-expected", "The criterion of iif() is one boolean, not several items.")
        }
        if truth { return try branch(arguments[1], on: inner.this, in: inner) }
        return arguments.count == 3 ? try branch(arguments[2], on: inner.this, in: inner) : .empty
    }

    private mutating func defineVariable(
        _ input: Items, arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> Items {
        guard let name = try string(try argument(arguments[0], scope), "defineVariable()"),
            !name.isEmpty
        else {
            throw .execution("variable-name", "defineVariable() needs a name.")
        }
        let reserved: Set<String> = ["context", "resource", "rootResource", "ucum", "sct", "loinc"]
        guard !reserved.contains(name), defined(name) == nil, context.variables[name] == nil else {
            throw .execution(
                "variable-defined",
                "defineVariable() cannot redefine a variable: choose another name.")
        }
        var value = input
        if arguments.count == 2 {
            var inner = scope
            inner.this = input
            value = try branch(arguments[1], on: input, in: inner)
        }
        define(name, value)
        return input
    }

    // MARK: The tree

    private mutating func children(of input: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        try spend(input.count)
        var output: [FHIRPathValue] = []
        for case .element(let element) in input { Navigation.appendChildren(of: element, to: &output) }
        try spend(output.count)
        return try bounded(output)
    }

    /// Breadth-first: the output is also the queue of items whose children are not yet visited.
    private mutating func descendants(_ input: [FHIRPathValue]) throws(FHIRPathError) -> [FHIRPathValue] {
        var output = try children(of: input)
        var index = 0
        while index < output.count {
            if case .element(let element) = output[index] {
                let before = output.count
                Navigation.appendChildren(of: element, to: &output)
                try spend(1 + output.count - before)
            }
            index += 1
            if output.count > context.limits.items { _ = try bounded(output) }
        }
        return output
    }

    /// Projects new items repeatedly. An item that was found before is not projected again.
    private mutating func repeated(
        _ input: [FHIRPathValue], by node: ExpressionNode, in scope: Scope, isDistinct: Bool
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        var seen = DistinctValues()
        var output: [FHIRPathValue] = []
        var open = input
        while !open.isEmpty {
            var next: [FHIRPathValue] = []
            for (index, item) in open.enumerated() {
                for found in try project(node, on: item, index: index, in: scope).array {
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
        let milliseconds =
            (context.now.timeIntervalSince1970 * 1000).rounded(.down) + Double(context.offsetMinutes) * 60_000
        let days = (milliseconds / 86_400_000).rounded(.down)
        // A clock outside of the calendar's years gives the first or last day.
        let date = CivilDate.date(days: Int(min(max(days, -719_162), 2_932_896)))
        let rest = Int(milliseconds - days * 86_400_000)
        let now = TemporalValue(
            kind: .dateTime, precision: .second, year: date.year, month: date.month, day: date.day,
            hour: rest / 3_600_000, minute: rest / 60_000 % 60, second: rest / 1000 % 60,
            nanosecond: rest % 1000 * 1_000_000, fractionDigits: 3, offset: context.offsetMinutes)
        switch function {
        case .today:
            return TemporalValue(
                kind: .date, precision: .day, year: now.year, month: now.month, day: now.day)
        case .timeOfDay:
            return TemporalValue(
                kind: .time, precision: .second, hour: now.hour, minute: now.minute, second: now.second,
                nanosecond: now.nanosecond, fractionDigits: now.fractionDigits)
        default: return now
        }
    }
}
