import Core

/// One evaluation of a path. Each result of a step passes through all later steps before the step continues. A filter
/// that only tests for existence thus stops at the first result, and only final results are stored.
final class JSONPathEvaluator {
    /// A result of a step: a value, or a member of an object (name and value), as seen by filters on objects.
    enum Found {
        case value(JSON)
        case member(JSON)
    }

    /// Receives a result, and returns whether to continue.
    private typealias Receiver = (Found) throws(JSONPathError) -> Bool

    private let root: JSON
    private let limits: QueryLimits
    // Read and written only between calls, never during another access.
    @exclusivity(unchecked) private var steps: Int
    @exclusivity(unchecked) private var depth = 0

    /// Maximum number of open steps, conditions and levels of the document. It keeps the recursion within the stack of
    /// any thread.
    private static let maximumDepth = 400

    init(_ root: JSON, _ limits: QueryLimits) {
        self.root = root
        self.limits = limits
        steps = limits.steps
    }

    /// Returns all values that the path finds.
    func values(of route: JSONPathRoute) throws(JSONPathError) -> [JSON] {
        var values: [JSON] = []
        _ = try follow(route, from: .value(root)) { found throws(JSONPathError) in
            guard case .value(let value) = found else {
                throw JSONPathError(
                    .memberFound, "A filter on an object selected a member, which is not a value: select its value.")
            }
            guard values.count < limits.values else { throw JSONPathError(.values, limits) }
            values.append(value)
            return true
        }
        return values
    }

    private func spend(_ count: Int = 1) throws(JSONPathError) {
        steps -= count
        guard steps >= 0 else { throw JSONPathError(.steps, limits) }
    }

    // MARK: Steps

    private func follow(
        _ route: JSONPathRoute, from found: Found, _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        if route.hasZeroStep { throw JSONPathError(.zeroStep, "The step of a slice is zero.") }
        return try follow(route.steps, at: 0, from: found, receive)
    }

    /// Nearly all paths end in a name, which is looked up directly.
    @inline(__always)
    private func follow(
        _ route: [JSONPathRoute.Step], at start: Int, from found: Found, _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        guard start + 1 == route.count, case .member(let name?) = route[start] else {
            return try walk(route, at: start, from: found, receive)
        }
        try spend()
        guard case .value(.object(let object)) = found, let value = object[name] else { return true }
        return try receive(.value(value))
    }

    /// Evaluates steps with one result in a loop; a step with several results evaluates the later steps on each.
    private func walk(
        _ route: [JSONPathRoute.Step], at start: Int, from found: Found, _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        var (position, found) = (start, found)
        while position < route.count {
            try spend()
            switch route[position] {
            case .root: found = .value(root)
            case .member(let name?):
                guard case .value(.object(let object)) = found, let value = object[name] else { return true }
                found = .value(value)
            case .index(let index):
                guard case .value(.array(let elements)) = found,
                    let element = try Self.element(index, of: elements)
                else { return true }
                found = .value(element)
            default: return try branch(route, at: position, from: found, receive)
            }
            position += 1
        }
        return try receive(found)
    }

    private func branch(
        _ route: [JSONPathRoute.Step], at position: Int, from found: Found, _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw JSONPathError(.nesting, limits) }
        let next = position + 1
        switch route[position] {
        case .root, .member(_?), .index: return try follow(route, at: position, from: found, receive)
        case .elements:
            guard case .value(.array(let elements)) = found else { return true }
            if next + 1 == route.count, case .member(let name?) = route[next] {
                try spend(elements.count)
                for element in elements {
                    guard case .object(let object) = element, let value = object[name] else { continue }
                    guard try receive(.value(value)) else { return false }
                }
                return true
            }
            for element in elements {
                guard try follow(route, at: next, from: .value(element), receive) else { return false }
            }
            return true
        case .member(nil):
            guard case .value(.object(let object)) = found else { return true }
            for member in object.members {
                guard try follow(route, at: next, from: .value(member.value), receive) else { return false }
            }
            return true
        case .members(let names):
            guard case .value(.object(let object)) = found else { return true }
            for name in names {
                guard let value = object[name] else { continue }
                guard try follow(route, at: next, from: .value(value), receive) else { return false }
            }
            return true
        case .descent(nil):
            guard try follow(route, at: next, from: found, receive) else { return false }
            return try descend(into: found, for: nil, along: route, at: next, receive)
        case .descent(let name?):
            return try descend(into: found, for: [name], along: route, at: next, receive)
        case .descentMembers(let names):
            return try descend(into: found, for: names, along: route, at: next, receive)
        case .filter(let condition):
            if case .value(.array(let elements)) = found, let test = condition.memberTest {
                return try filter(elements, by: test, along: route, at: next, receive)
            }
            return try children(of: found) { child throws(JSONPathError) in
                guard try self.holds(condition, for: child) else { return true }
                return try self.follow(route, at: next, from: child, receive)
            }
        case .descentFilter(let condition):
            return try filterAll(condition, on: found, along: route, at: next, receive)
        case .slice(let start, let end, let step) where next + 1 == route.count:
            guard case .value(.array(let elements)) = found else { return true }
            guard case .member(let name?) = route[next] else { fallthrough }
            let (first, stop) = Self.bounds(start: start, end: end, step: step, count: elements.count)
            for index in stride(from: first, to: stop, by: step) {
                try spend()
                guard case .object(let object) = elements[index], let value = object[name] else { continue }
                guard try receive(.value(value)) else { return false }
            }
            return true
        case .indexes, .slice:
            guard case .value(.array(let elements)) = found else { return true }
            return try pick(route[position], of: elements) { element throws(JSONPathError) in
                try self.follow(route, at: next, from: .value(element), receive)
            }
        }
    }

    /// Passes on the elements that a list of indices or a slice selects.
    private func pick(
        _ step: JSONPathRoute.Step, of elements: [JSON], _ receive: (JSON) throws(JSONPathError) -> Bool
    ) throws(JSONPathError) -> Bool {
        switch step {
        case .indexes(let indexes):
            for index in indexes {
                try spend()
                guard let element = try Self.element(index, of: elements) else { continue }
                guard try receive(element) else { return false }
            }
        case .slice(let start, let end, let step):
            let (first, stop) = Self.bounds(start: start, end: end, step: step, count: elements.count)
            var index = first
            while step > 0 ? index < stop : index > stop {
                try spend()
                guard try receive(elements[index]) else { return false }
                index += step
            }
        default: break
        }
        return true
    }

    /// Returns the first index of a slice, and the index before which it ends.
    private static func bounds(start: Int?, end: Int?, step: Int, count: Int) -> (first: Int, stop: Int) {
        let first = start.map { $0 < 0 ? count + $0 : $0 } ?? (step > 0 ? 0 : count - 1)
        let stop = end.map { $0 < 0 ? count + $0 : $0 } ?? (step > 0 ? count : -1)
        return (step > 0 ? min(max(first, 0), count) : min(first, count - 1), min(max(stop, -1), count))
    }

    private static func element(_ index: Int, of elements: [JSON]) throws(JSONPathError) -> JSON? {
        guard index >= 0 else {
            throw JSONPathError(.negativeIndex, "An index is less than zero; the slice [-1:] finds the last element.")
        }
        // A conditional expression would convert nil to JSON's null.
        guard index < elements.count else { return nil }
        return elements[index]
    }

    // MARK: Descents

    /// Passes on the children of an array or an object; those of an object are members with their names.
    private func children(of found: Found, _ receive: Receiver) throws(JSONPathError) -> Bool {
        switch found {
        case .value(.array(let elements)):
            for element in elements {
                try spend()
                guard try receive(.value(element)) else { return false }
            }
        case .value(.object(let object)):
            for member in object.members {
                try spend()
                guard try receive(.member(member.value)) else { return false }
            }
        case .member(let value): return try receive(.value(value))
        default: break
        }
        return true
    }

    /// Passes on all descendants with one of the names, or all descendants; each precedes its own descendants.
    private func descend(
        into found: Found, for names: [WantedName]?, along route: [JSONPathRoute.Step], at next: Int,
        _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw JSONPathError(.nesting, limits) }
        switch found {
        case .value(.array(let elements)):
            for element in elements {
                try spend()
                if names == nil {
                    guard try follow(route, at: next, from: .value(element), receive) else { return false }
                }
                guard element.isBranch else { continue }
                guard try descend(into: .value(element), for: names, along: route, at: next, receive) else {
                    return false
                }
            }
        case .value(.object(let object)):
            let members = object.members
            for index in members.indices {
                try spend()
                if let names {
                    for name in names where name.isSame(as: members[index].key) {
                        guard try follow(route, at: next, from: .value(members[index].value), receive) else {
                            return false
                        }
                    }
                } else {
                    guard try follow(route, at: next, from: .value(members[index].value), receive) else { return false }
                }
                guard members[index].value.isBranch else { continue }
                guard try descend(into: .value(members[index].value), for: names, along: route, at: next, receive)
                else {
                    return false
                }
            }
        case .member(let value):
            if names == nil {
                guard try follow(route, at: next, from: .value(value), receive) else { return false }
            }
            return try descend(into: .value(value), for: names, along: route, at: next, receive)
        default: break
        }
        return true
    }

    /// Tests a filter on a value and on all its descendants, including members of objects.
    private func filterAll(
        _ condition: JSONPathCondition, on found: Found, along route: [JSONPathRoute.Step], at next: Int,
        _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw JSONPathError(.nesting, limits) }
        if try holds(condition, for: found) {
            guard try follow(route, at: next, from: found, receive) else { return false }
        }
        return try children(of: found) { child throws(JSONPathError) in
            try self.filterAll(condition, on: child, along: route, at: next, receive)
        }
    }

    // MARK: Filters

    /// Evaluates the usual filter: a comparison of a member of each element with a number.
    private func filter(
        _ elements: [JSON], by test: JSONPathCondition.MemberTest, along route: [JSONPathRoute.Step], at next: Int,
        _ receive: Receiver
    ) throws(JSONPathError) -> Bool {
        for element in elements {
            try spend(3)
            guard case .object(let object) = element, let value = object[test.name] else { continue }
            if case .number(let number) = value {
                try spend(1 + number.cost + test.number.cost)
                guard test.comparison.holds(JSONNumber.order(number, test.number)) else { continue }
            } else {
                guard try compare(test.comparison, left: JSONPathScalar(value), right: test.scalar) else { continue }
            }
            guard try follow(route, at: next, from: .value(element), receive) else { return false }
        }
        return true
    }

    private func holds(_ condition: JSONPathCondition, for found: Found) throws(JSONPathError) -> Bool {
        try spend()
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw JSONPathError(.nesting, limits) }
        switch condition {
        case .all(let parts):
            for part in parts where !(try holds(part, for: found)) { return false }
            return true
        case .any(let parts):
            for part in parts where try holds(part, for: found) { return true }
            return false
        case .exists(let operand):
            guard case .route(let route) = operand else { return true }
            return !(try follow(route, from: found) { _ in false })
        case .comparison(let comparison, let left, let right):
            if case .literal(let other) = right {
                return
                    !(try each(left, for: found) { scalar throws(JSONPathError) in
                        !(try self.compare(comparison, left: scalar, right: other))
                    })
            }
            var others: [JSONPathScalar?]?
            return
                !(try each(left, for: found) { scalar throws(JSONPathError) in
                    // The right side is evaluated once, and only if the left side has a value.
                    if others == nil { others = try self.all(right, for: found) }
                    for other in others ?? []
                    where try self.compare(comparison, left: scalar, right: other) { return false }
                    return true
                })
        }
    }

    private func all(
        _ operand: JSONPathCondition.Operand, for found: Found
    ) throws(JSONPathError) -> [JSONPathScalar?] {
        if case .literal(let scalar) = operand { return [scalar] }
        var scalars: [JSONPathScalar?] = []
        _ = try each(operand, for: found) { scalar in
            scalars.append(scalar)
            return true
        }
        return scalars
    }

    /// Passes on each value of an operand; nil for a value that is not a scalar.
    private func each(
        _ operand: JSONPathCondition.Operand, for found: Found,
        _ receive: (JSONPathScalar?) throws(JSONPathError) -> Bool
    ) throws(JSONPathError) -> Bool {
        switch operand {
        case .literal(let scalar): return try receive(scalar)
        case .route(let route):
            if route.steps.count == 1, case .member(let name?) = route.steps[0] {
                // The usual operand.
                try spend()
                guard case .value(.object(let object)) = found, let value = object[name] else { return true }
                return try receive(JSONPathScalar(value))
            }
            return try follow(route, from: found) { found throws(JSONPathError) in
                if case .value(let value) = found { return try receive(JSONPathScalar(value)) }
                return try receive(nil)
            }
        }
    }

    /// Compares two operands. A value that is not a scalar differs from every value (`!=`), but not strictly (`!==`).
    private func compare(
        _ comparison: JSONPathCondition.Comparison, left: JSONPathScalar?, right: JSONPathScalar?
    ) throws(JSONPathError) -> Bool {
        guard let left, let right else { return comparison == .notEqual }
        try spend(1 + left.cost + right.cost)
        switch comparison {
        case .equal, .strictlyEqual: return left.equals(right)
        case .notEqual, .strictlyNotEqual: return !left.equals(right)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return comparison.holds(try left.order(to: right))
        case .matches: return try isMatch(left, right)
        }
    }

    private func isMatch(_ value: JSONPathScalar, _ pattern: JSONPathScalar) throws(JSONPathError) -> Bool {
        guard let text = value.text, let source = pattern.text else { return false }
        let compiled: JSONPathPattern
        if case .pattern(let pattern) = pattern {
            compiled = try pattern.result.get()
        } else {
            // A pattern from the document is compiled for each value, which costs steps.
            compiled = try JSONPathPattern(delimited: source)
            try spend(compiled.size)
        }
        try spend(compiled.size * (1 + text.utf16.count) / 4)
        return compiled.isFound(in: text)
    }
}

extension JSON {
    /// Whether the value can have children.
    fileprivate var isBranch: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
