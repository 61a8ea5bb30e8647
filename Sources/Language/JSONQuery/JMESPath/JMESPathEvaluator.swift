import Core

/// One evaluation of an expression.
struct JMESPathEvaluator {
    private let limits: QueryLimits
    private var steps: Int

    init(_ limits: QueryLimits) {
        self.limits = limits
        steps = limits.steps
    }

    /// Subtracts steps from the remaining ones.
    mutating func spend(_ count: Int = 1) throws(JMESPathError) {
        steps -= count
        guard steps >= 0 else { throw JMESPathError(.steps, limits) }
    }

    /// Limits the size of a result, which may contain one value many times.
    mutating func checkSize(of result: JSON) throws(JMESPathError) {
        guard result.values(limit: limits.values) != nil else { throw JMESPathError(.values, limits) }
    }

    // MARK: Nodes

    /// Returns the value of a node for the current value.
    mutating func value(of node: JMESPathNode, _ current: JSON) throws(JMESPathError) -> JSON {
        try spend()
        switch node {
        case .current: return current
        case .literal(let value): return value
        case .field(let name): return member(name, of: current)
        case .chain(let parts):
            var value = current
            for part in parts {
                if case .field(let name) = part {
                    value = member(name, of: value)
                } else {
                    value = try self.value(of: part, value)
                }
            }
            return value
        case .index(let index):
            guard case .array(let elements) = current else { return .null }
            let position = index < 0 ? elements.count + index : index
            return elements.indices.contains(position) ? elements[position] : .null
        case .slice(let start, let stop, let step):
            guard case .array(let elements) = current else { return .null }
            return .array(try slice(elements, from: start, to: stop, by: step))
        case .flatten(let inner):
            guard case .array(let elements) = try value(of: inner, current) else { return .null }
            return .array(try flat(elements))
        case .projection(let left, let right):
            guard case .array(let elements) = try value(of: left, current) else { return .null }
            return try projected(elements, right)
        case .valueProjection(let left, let right):
            guard case .object(let object) = try value(of: left, current) else { return .null }
            try spend(object.count)
            return try projected(object.members.map(\.value), right)
        case .filterProjection(let left, let right, let condition):
            guard case .array(let elements) = try value(of: left, current) else { return .null }
            return try filtered(elements, right: right, condition: condition)
        case .list(let parts):
            if current.isNull { return .null }
            var values: [JSON] = []
            values.reserveCapacity(parts.count)
            for part in parts { values.append(try value(of: part, current)) }
            return .array(values)
        case .hash(let entries, let isRepeating):
            if current.isNull { return .null }
            return .object(try object(entries, isRepeating: isRepeating, current: current))
        case .or(let parts): return try first(of: parts, current) { $0.isTrue }
        case .and(let parts): return try first(of: parts, current) { !$0.isTrue }
        case .not(let inner): return .bool(!(try value(of: inner, current)).isTrue)
        case .comparison(let comparison, let left, let right):
            return try compare(
                comparison, left: try value(of: left, current), right: try value(of: right, current))
        case .call(let function, let arguments):
            return try call(function, arguments: arguments, current: current)
        case .reference:
            throw JMESPathError(.invalidType, "An expression with & is not a value.")
        }
    }

    private func member(_ name: WantedName, of value: JSON) -> JSON {
        guard case .object(let object) = value else { return .null }
        return object[name] ?? .null
    }

    private mutating func first(
        of parts: [JMESPathNode], _ current: JSON, _ isFound: (JSON) -> Bool
    ) throws(JMESPathError) -> JSON {
        var last = JSON.null
        for part in parts {
            last = try value(of: part, current)
            if isFound(last) { break }
        }
        return last
    }

    // MARK: Arrays and objects

    private mutating func projected(_ elements: [JSON], _ right: JMESPathNode) throws(JMESPathError) -> JSON {
        var found: [JSON] = []
        if case .current = right {
            try spend(elements.count)
            if elements.contains(where: \.isNull) { return .array(elements.filter { !$0.isNull }) }
            return .array(elements)
        }
        found.reserveCapacity(elements.count)
        if case .field(let name) = right {
            try spend(elements.count)
            for element in elements {
                guard case .object(let object) = element, let value = object[name], !value.isNull else {
                    continue
                }
                found.append(value)
            }
            return .array(found)
        }
        for element in elements {
            let value = try value(of: right, element)
            if !value.isNull { found.append(value) }
        }
        return .array(found)
    }

    private mutating func filtered(
        _ elements: [JSON], right: JMESPathNode, condition: JMESPathNode
    ) throws(JMESPathError) -> JSON {
        var found: [JSON] = []
        for element in elements where try value(of: condition, element).isTrue {
            let value = try value(of: right, element)
            if !value.isNull { found.append(value) }
        }
        return .array(found)
    }

    private mutating func flat(_ elements: [JSON]) throws(JMESPathError) -> [JSON] {
        var found: [JSON] = []
        found.reserveCapacity(elements.count)
        for element in elements {
            if case .array(let inner) = element {
                try spend(1 + inner.count)
                found.append(contentsOf: inner)
            } else {
                try spend()
                found.append(element)
            }
        }
        return found
    }

    private mutating func slice(
        _ elements: [JSON], from start: Int?, to stop: Int?, by step: Int
    ) throws(JMESPathError) -> [JSON] {
        let count = elements.count
        let (least, greatest) = step > 0 ? (0, count) : (-1, count - 1)
        func bound(_ given: Int?, _ otherwise: Int) -> Int {
            guard let given else { return otherwise }
            return min(max(given < 0 ? given + count : given, least), greatest)
        }
        let first = bound(start, step > 0 ? 0 : count - 1)
        let end = bound(stop, step > 0 ? count : -1)
        if step == 1 {
            guard first < end else { return [] }
            try spend(end - first)
            return Array(elements[first..<end])
        }
        var found: [JSON] = []
        for index in stride(from: first, to: end, by: step) {
            try spend()
            found.append(elements[index])
        }
        return found
    }

    private mutating func object(
        _ entries: [JMESPathNode.Entry], isRepeating: Bool, current: JSON
    ) throws(JMESPathError) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(entries.count)
        for entry in entries {
            members.append(JSONObject.Member(key: entry.name, value: try value(of: entry.value, current)))
        }
        return isRepeating ? JSONObject(keepingLast: members) : JSONObject(unique: members)
    }

    // MARK: Comparison

    private mutating func compare(
        _ comparison: JMESPathNode.Comparison, left: JSON, right: JSON
    ) throws(JMESPathError) -> JSON {
        switch comparison {
        case .equal: return .bool(try areEqual(left, right))
        case .different: return .bool(!(try areEqual(left, right)))
        default: break
        }
        guard case .number(let first) = left, case .number(let second) = right else { return .null }
        let order = try order(first, second)
        switch comparison {
        case .less: return .bool(order < 0)
        case .lessOrEqual: return .bool(order <= 0)
        case .greater: return .bool(order > 0)
        default: return .bool(order >= 0)
        }
    }

    mutating func order(_ first: JSONNumber, _ second: JSONNumber) throws(JMESPathError) -> Int {
        try spend(first.cost + second.cost)
        return JSONNumber.order(first, second)
    }

    /// Whether two values are equal: numbers by their value, objects regardless of the order of their members.
    mutating func areEqual(_ first: JSON, _ second: JSON) throws(JMESPathError) -> Bool {
        try spend()
        switch (first, second) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return try order(left, right) == 0
        case (.string(let left), .string(let right)):
            guard left.utf8.count == right.utf8.count else { return false }
            try spend(left.utf8.count / 16)
            return left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for index in left.indices where !(try areEqual(left[index], right[index])) { return false }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            for member in left.members {
                guard let other = right[WantedName(member.key)], try areEqual(member.value, other) else {
                    return false
                }
            }
            return true
        default: return false
        }
    }
}

extension JSON {
    /// Whether the value is true as a condition: all values except null, false and empty ones
    /// (<https://jmespath.org/specification.html#or-expressions>).
    fileprivate var isTrue: Bool {
        switch self {
        case .null: false
        case .bool(let value): value
        case .number: true
        case .string(let text): !text.isEmpty
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.isEmpty
        }
    }
}
